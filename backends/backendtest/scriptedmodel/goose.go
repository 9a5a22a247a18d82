package scriptedmodel

// GooseEnv returns the variables by which goose finds the server at url: its
// provider, its model and a key that opens nothing. root is a directory for
// all of goose's own files, so that the person's are neither read nor changed.
func GooseEnv(url, root string) map[string]string {
	return map[string]string{
		"GOOSE_PROVIDER":        "openai",
		"GOOSE_MODEL":           Model,
		"OPENAI_HOST":           url,
		"OPENAI_API_KEY":        "scripted",
		"GOOSE_DISABLE_KEYRING": "1",
		"GOOSE_PATH_ROOT":       root,
	}
}
