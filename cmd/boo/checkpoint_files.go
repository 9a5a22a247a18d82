package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"boo/cmd/boo/internal/tty"
	"boo/orchestrator"
	"boo/orchestrator/checkpointfile"
)

func checkpointDirFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "dir", Usage: usage}
}

// checkpointDir is the directory that was named, absolute.
func checkpointDir(c *cli.Context, e *env) (string, error) {
	dir := c.String("dir")
	switch {
	case dir == "":
		return "", usageError(c, fmt.Errorf("%s wants --dir DIR", c.Command.HelpName), false)
	case filepath.IsAbs(dir):
		return dir, nil
	}
	return filepath.Join(e.Dir, dir), nil
}

func checkpointExportCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write checkpoints into a directory, a file each",
		ArgsUsage: "[CHAT]",
		Description: "Each session has a directory there, with a file for each step and one that names the latest.\n" +
			"Whatever cuts it off, no file is there by halves. Tool calls are in them as the agent told them.",
		Flags: append(checkpointFlags(true), checkpointDirFlag("write below `DIR`")),
		Action: func(c *cli.Context) error {
			sel, err := checkpointArgs(c, e)
			if err != nil {
				return err
			}
			dir, err := checkpointDir(c, e)
			if err != nil {
				return err
			}
			return runCheckpointExport(c.Context, e, sel, dir)
		},
	}
}

func runCheckpointExport(ctx context.Context, e *env, sel orchestrator.CheckpointSelector, dir string) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	states, err := svc.Checkpoints(ctx, sel)
	if err != nil {
		return err
	}
	var list []orchestrator.Checkpoint
	for _, c := range states {
		if c.Fault == "" {
			list = append(list, c.Checkpoint)
		} else if !e.JSON {
			e.Stderr.Println(tty.Yellow("left out: "), tty.Plain(fmt.Sprintf("step %d of %s in chat %s: %s", c.Step, c.Agent, c.Chat, c.Fault)))
		}
	}
	written, err := checkpointfile.Write(dir, list)
	if err != nil {
		return err
	}
	if e.JSON {
		return e.Stdout.JSON(map[string]any{"dir": dir, "checkpoints": len(list), "written": written, "damaged": len(states) - len(list)})
	}
	e.Stderr.Println(tty.Plain(fmt.Sprintf("%d checkpoints are in %s, %d of them new", len(list), dir, written)))
	return nil
}

func checkpointImportCommand(e *env) *cli.Command {
	return &cli.Command{
		Name:  "import",
		Usage: "bring lost checkpoints back from an export",
		Description: "Only what agrees with its digest, and belongs to a turn that the store has, is taken; nothing\n" +
			"that is there and holds is replaced. Whatever is not taken is named.",
		Flags: []cli.Flag{checkpointDirFlag("read what is below `DIR`")},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			dir, err := checkpointDir(c, e)
			if err != nil {
				return err
			}
			return runCheckpointImport(c.Context, e, dir)
		},
	}
}

// importView is what "boo checkpoint import --json" prints.
type importView struct {
	Taken  int                    `json:"taken"`
	There  int                    `json:"there"` // already
	Faults []checkpointfile.Fault `json:"not_taken"`
}

func runCheckpointImport(ctx context.Context, e *env, dir string) error {
	svc, err := e.service(ctx)
	if err != nil {
		return err
	}
	list, faults, err := checkpointfile.Read(dir)
	if err != nil {
		return err
	}
	done, err := svc.ImportCheckpoints(ctx, list)
	if err != nil {
		return err
	}
	v := importView{Faults: append([]checkpointfile.Fault{}, faults...)}
	for _, r := range done {
		switch {
		case r.Taken:
			v.Taken++
		case r.Reason == "":
			v.There++
		default:
			what := fmt.Sprintf("step %d of %s in chat %s", r.Checkpoint.Step, r.Checkpoint.Agent, r.Checkpoint.Chat)
			v.Faults = append(v.Faults, checkpointfile.Fault{File: what, Reason: r.Reason})
		}
	}
	if e.JSON {
		return e.Stdout.JSON(v)
	}
	for _, f := range v.Faults {
		e.Stdout.Println(tty.Yellow("not taken  "), tty.Plain(f.File+": "+f.Reason))
	}
	e.Stderr.Println(tty.Plain(fmt.Sprintf("%d checkpoints are back, %d were there", v.Taken, v.There)))
	return nil
}
