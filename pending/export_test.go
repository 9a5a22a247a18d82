package pending

import "boo/orchestrator"

// OnStep has f called before each step that an apply, an undo or a recovery
// takes.
func (e *Engine) OnStep(f func(step string)) { e.mark = f }

// LockName names the lock of a checkout.
func LockName(dir orchestrator.CheckoutDir) string { return lockName(dir) }
