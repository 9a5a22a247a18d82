package pending

// OnStep has f called before each step that an apply, an undo or a recovery
// takes.
func (e *Engine) OnStep(f func(step string)) { e.mark = f }
