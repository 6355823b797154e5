// Run one scenario of the extension for pi with a stand-in of pi, and print what came of it as JSON:
// node drive_pi.mjs EXTENSION SCENARIO
import { pathToFileURL } from "node:url"

const [file, scenario] = process.argv.slice(2)
const extension = await import(pathToFileURL(file).href)
const tools = new Map()
const events = new Map()
extension.default({ registerTool: (tool) => tools.set(tool.name, tool), on: (name, act) => events.set(name, act) })

const branch = [
  { type: "message", id: "old" },
  { type: "message", id: "kept" },
  { type: "compaction", id: "c", firstKeptEntryId: "kept" },
  { type: "message", id: "new" },
]
const ctx = { cwd: "/srv/quay", sessionManager: { getSessionId: () => "s-1", getBranch: () => branch } }
const call = async (name, args, signal) => {
  try {
    return (await tools.get(name).execute("c1", args, signal, undefined, ctx)).content[0].text
  } catch (error) {
    return `error: ${error.message}`
  }
}
const start = async (prompt, systemPrompt = "You are an agent.") =>
  (await events.get("before_agent_start")({ prompt, systemPrompt }, ctx)) ?? null
const user = (text, timestamp) => ({ role: "user", content: [{ type: "text", text }], timestamp })
const context = async (...messages) => (await events.get("context")({ messages }, ctx))?.messages ?? null
const timed = async (work) => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const scenarios = {
  async tools() {
    const told = { tools: [...tools.keys()], events: [...events.keys()] }
    told.first = await call("recall", { query: "tariff" })
    told.lost = await call("recall", { query: "die" })
    told.again = await call("recall", { query: "again" })
    const stop = new AbortController()
    const waiting = call("recall", { query: "wait" }, stop.signal)
    setTimeout(() => stop.abort(), 10)
    told.cancelled = await waiting
    return told
  },
  async one() {
    return { tools: [...tools.keys()], answer: await call("recall", { query: "tariff" }), prompt: await start("hello") }
  },
  async hooks() {
    const prompt = await start("as last time")
    const again = await start("as last time", prompt.systemPrompt)
    let found = null
    for (let left = 1000; left > 0 && !found; left--) {
      await new Promise((go) => setTimeout(go, 5))
      found = await context(user("earlier", 1), user("as last time", 2))
    }
    await start("new work")
    const later = await context(user("as last time", 2), { role: "assistant", content: [] }, user("new work", 3))
    const text = { role: "user", content: "as last time", timestamp: 2 }
    return { prompt, again, found, later, text: await context(text) }
  },
  async slow() {
    const times = []
    for (let at = 0; at < 5; at++) times.push(await timed(() => start("as last time")))
    return { times, added: await context(user("as last time", 1)) }
  },
  async odd() {
    // Nothing that a host may hand in ends its turn.
    await events.get("before_agent_start")({})
    await events.get("context")({})
    return { answer: await call("recall", null) }
  },
  async ended() {
    await call("recall", { query: "tariff" })
    events.get("session_shutdown")()
    return { after: await call("recall", { query: "tariff" }) }
  },
}
console.log(JSON.stringify(await scenarios[scenario]()))
if (scenario !== "ended") events.get("session_shutdown")()
