package backendtest

import (
	"testing"

	"boo/orchestrator"
)

// Subject is a backend that the suite is run on, with one agent of it. The
// agent plays the script language of package scriptedmodel.
type Subject struct {
	Agents orchestrator.Agents
	Agent  orchestrator.AgentName
}

// Suite runs what every backend has to pass. open returns a subject with a
// store of its own: sessions that one subject made are its own only. It is
// called for each subtest of this level, and each of them may run beside others.
// What needs no new process goes through one session, as turns of a chat do: to
// start an agent can take seconds.
func Suite(t *testing.T, open func(t *testing.T) Subject) {
	t.Run("OneSession", func(t *testing.T) { oneSession(t, open(t)) })
	for name, check := range map[string]func(*testing.T, Subject){
		"CheckKnowsItsAgents":              checkKnowsItsAgents,
		"EveryEventComesBeforeTheEnd":      everyEventComesFirst,
		"StopEndsARunningTool":             stopEndsATool,
		"KilledAgentIsAnErrorAndComesBack": killedAgentComesBack,
		"CloseEndsARunningTurn":            closeEndsATurn,
		"TwoSessionsRunBesideEachOther":    twoSessions,
	} {
		t.Run(name, func(t *testing.T) { check(t, open(t)) })
	}
}

// oneSession takes one session from its beginning to its return in another
// process, and further.
func oneSession(t *testing.T, s Subject) {
	v := begin(t, s, t.TempDir(), "", 0)
	for _, step := range []struct {
		name  string
		check func(*testing.T, *visit)
	}{
		{"NothingIsSentAgainstOurWill", nothingIsSentAgainstOurWill}, // knows that it is the first
		{"NewSessionAnswers", newSessionAnswers},
		{"FilesAreWrittenInTheDirectory", filesAreWritten},
		{"WarmSessionRemembers", warmSessionRemembers},
		{"StopOfAnIdleSessionIsHarmless", stopOfIdleSession},
		{"StopEndsTheTurnNotTheSession", stopEndsTheTurn},
	} {
		t.Run(step.name, func(t *testing.T) { step.check(t, v) })
	}
	t.Run("NewProcessRemembers", func(t *testing.T) { newProcessRemembers(t, s, v) })
	t.Run("UnknownSessionBecomesANewOne", func(t *testing.T) { unknownSessionBecomesNew(t, s, v.Info().NativeID) })
}
