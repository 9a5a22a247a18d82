package backends

// Builtin returns the agents that boo knows without configuration. The caller
// owns the slice.
func Builtin() []Definition {
	return []Definition{goose(), qwen(), gemini(), claude(), codex(), opencode(), opencodeACP()}
}
