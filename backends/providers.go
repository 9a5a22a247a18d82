package backends

// modelProviders lists what agents that speak with many providers read of the
// environment: keys, hosts, regions.
var modelProviders = []string{
	"OPENAI_*", "ANTHROPIC_*", "GOOGLE_*", "GEMINI_*", "GCP_*", "AZURE_*", "AWS_*",
	"DATABRICKS_*", "DEEPSEEK_*", "GROQ_*", "MISTRAL_*", "OPENROUTER_*", "XAI_*",
	"CEREBRAS_*", "LITELLM_*", "OLLAMA_*", "LMSTUDIO_*", "HF_TOKEN", "HUGGINGFACE_*",
	"SNOWFLAKE_*", "TETRATE_*", "VENICE_*", "MOONSHOT_*", "ZAI_*", "NVIDIA_*",
	"GITHUB_COPILOT_*", "DASHSCOPE_*",
}

// passed joins an agent's own variables with those of the providers.
func passed(own ...string) []string { return append(own, modelProviders...) }
