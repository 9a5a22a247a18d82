package checkpointfile

import (
	"fmt"

	"boo/orchestrator"
)

const (
	latestName = "latest"
	draftName  = ".draft-"
	maxFile    = 1 << 20 // a checkpoint is of a few KiB
)

// sessionName is the directory of a checkpoint's session. Chat ids are all of
// one length, and the generation stands last: no two sessions share a name.
func sessionName(c orchestrator.Checkpoint) (string, error) {
	if _, err := orchestrator.ParseChatID(string(c.Chat)); err != nil {
		return "", err
	}
	if _, err := orchestrator.ParseAgentName(string(c.Agent)); err != nil {
		return "", err
	}
	if c.Generation < 0 || c.Step < 1 {
		return "", orchestrator.Errorf(orchestrator.CodeInvalid, "there is no step %d of generation %d", c.Step, c.Generation)
	}
	return fmt.Sprintf("%s.%s.%d", c.Chat, c.Agent, c.Generation), nil
}

func stepName(step int64) string { return fmt.Sprintf("%012d.json", step) }
