// Package backendtest holds what tests of agents share: the real agents,
// installed once, the settings that lead each to a scripted model and to nobody
// else ([Environ]), and [Suite], the conformance suite that every backend
// passes.
//
// It promises:
//
//   - [Program] never skips: a test that cannot have the real agent fails.
//   - [Suite] speaks only through the orchestrator's ports, so it says the same
//     of every protocol and every agent.
//
// It refuses to know how an agent is started; the caller of [Suite] does. It
// fails the test that calls it, and in no other way.
//
// The suite is run with real agents against backendtest/scriptedmodel (goose and
// qwen always; opencode, opencode-acp, codex, claude and gemini where BOO_TEST_AGENTS names
// them, or is "all"), and with backendtest/scriptedagent, which also shows what
// a real agent cannot be made to show.
package backendtest
