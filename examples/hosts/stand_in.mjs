// A stand-in for a host that loads extensions: node stand_in.mjs HOST EXTENSION ARGUMENTS. It loads the extension as the
// host does, calls its tool `recall` with ARGUMENTS (JSON), prints the tools and the answer, and ends.
import { pathToFileURL } from "node:url"

const [host, extension, given] = process.argv.slice(2)
const module = await import(pathToFileURL(extension).href)
const args = JSON.parse(given)

/** The part of pi and tallow that an extension needs; what else it registers is accepted and not used. */
async function inPi() {
  const tools = new Map()
  const events = new Map()
  const own = { registerTool: (tool) => tools.set(tool.name, tool), on: (name, act) => events.set(name, act) }
  await module.default(new Proxy(own, { get: (known, name) => known[name] ?? (() => {}) }))
  const context = { cwd: process.cwd(), sessionManager: { getSessionId: () => "example" } }
  const answer = await tools.get("recall").execute("call-1", args, undefined, undefined, context)
  await events.get("session_shutdown")?.({}, context)
  return { names: tools.keys(), text: answer.content[0].text }
}

/** The part of OpenCode that the plugin needs. */
async function inOpenCode() {
  const client = { app: { log: async ({ body }) => console.error(body.message) } }
  const hooks = await module.RecallRank({ client, directory: process.cwd(), worktree: "/" })
  const text = await hooks.tool.recall.execute(args, { sessionID: "example", messageID: "example-1" })
  await hooks.dispose?.()
  return { names: Object.keys(hooks.tool), text }
}

const { names, text } = await (host === "opencode" ? inOpenCode() : inPi())
process.stdout.write(`It offers ${[...names].join(", ")}.\n${text}\n`, () => process.exit(0))
