package main

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // a store this large is written the short way
)

// manyChats is a repository in which boo has been used for years.
const manyChats = `
INSERT INTO repos (id, common_dir, root, created_ms) VALUES ('r000000001', CAST(?1 || '/.git' AS BLOB), CAST(?1 AS BLOB), 1);
WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO chats (id, repo_id, title, state, created_ms, last_used_ms, used_order, agents)
SELECT printf('c%09d', i), 'r000000001', 'make it better, as we said the other day', 'open', 1, i, i, '["goose","qwen"]' FROM n;
INSERT INTO worktrees (chat_id, repo_id, common_dir, dir, base, baseline, state, reason, created_ms)
SELECT id, repo_id, CAST(?1 || '/.git' AS BLOB), CAST('/x/' || id AS BLOB), 'b', 'b', 'active', '', 1 FROM chats;
WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
INSERT INTO turns (id, chat_id, number, agent, model, state, before_commit, after_commit, rung, input, output, cache_read,
    cache_write, cost, currency, context_used, context_size, owner_boot, owner_pid, owner_start, sent_ms, started_ms,
    ended_ms, stop, reason, prompt)
SELECT printf('t%s%03d', substr(c.id, 5), i), c.id, i, 'goose', '', 'completed', 'b', 'a', 'new', 1, 2, 3, 4, 0.5, 'USD', 7, 8,
    'boot', 1, 1, 1, 1, 1, 'end_turn', '', printf('%300s', 'prompt') FROM n, chats c;`

// BenchmarkChatLs runs the real program on 1,000 chats with 100,000 turns,
// beside "git version", which is about the least that a process can do.
func BenchmarkChatLs(b *testing.B) {
	dir := b.TempDir()
	bin, repo := program(b), filepath.Join(dir, "repo")
	env := append(os.Environ(), "BOO_HOME="+filepath.Join(dir, "home"))
	run := func(name string, args ...string) (wall, cpu time.Duration) {
		b.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = env
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			b.Fatalf("%s %s: %v", name, args, err)
		}
		return time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	run("git", "init", "-q", repo)
	run(bin, "-C", repo, "chat", "ls")
	db, err := sql.Open("sqlite", filepath.Join(dir, "home", "data", "boo.db"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := db.Exec(manyChats, repo); err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	run(bin, "-C", repo, "chat", "ls")
	var wall, cpu, gitWall, gitCPU time.Duration
	for b.Loop() {
		w, c := run(bin, "-C", repo, "chat", "ls")
		wall, cpu = wall+w, cpu+c
		w, c = run("git", "version")
		gitWall, gitCPU = gitWall+w, gitCPU+c
	}
	b.ReportMetric(float64(wall)/float64(gitWall), "x-git-version")
	b.ReportMetric(float64(cpu)/float64(gitCPU), "x-git-version-cpu")
}
