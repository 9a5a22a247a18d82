package reaper

// OnStep has f told before each step.
func (a *Archiver) OnStep(f func(step string)) { a.step = f }

// OnStep has f told before each step.
func (s *Sweeper) OnStep(f func(step string)) { s.step = f }
