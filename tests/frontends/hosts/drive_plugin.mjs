// Runs one scenario of the OpenCode plugin and prints what came of it as JSON: node drive_plugin.mjs PLUGIN SCENARIO
// OPTIONS. The plugin is a copy of the shipped file with a name that any Node takes for a module.
import { pathToFileURL } from "node:url"

const [plugin, scenario, given] = process.argv.slice(2)
const logged = []
const client = { app: { log: async ({ body }) => void logged.push(body.message) } }
const { RecallRank } = await import(pathToFileURL(plugin).href)
const options = JSON.parse(given)
const hooks = await RecallRank({ client, directory: "/srv/harborline", worktree: "/" }, options)
const alive = () => new Promise((go) => setTimeout(go, 5))
const call = async (name, args, context = {}) =>
  JSON.parse(await hooks.tool[name].execute(args, { sessionID: "demo-04", messageID: "demo-04-m9", ...context }))
const system = async () => {
  const output = { system: ["You are an agent."] }
  await hooks["experimental.chat.system.transform"]({ sessionID: "demo-04" }, output)
  return output.system
}
const until = async (check) => {
  for (let left = 400; left > 0; left--) {
    const found = await check()
    if (found) return found
    await alive()
  }
  return null
}
const timed = async (work) => {
  const began = performance.now()
  await work()
  return performance.now() - began
}
const said = (text, id = "m-new") => ({ message: { id, sessionID: "now" }, parts: [{ type: "text", text }] })

const scenarios = {
  async tools() {
    const found = {}
    for (const [name, args] of options.calls) found[name] = await call(name, args)
    return found
  },
  async definitions() {
    const found = {}
    for (const toolID of Object.keys(hooks.tool)) {
      const output = { description: "", parameters: {}, jsonSchema: { required: ["all"] } }
      await hooks["tool.definition"]({ toolID }, output)
      found[toolID] = { args: Object.keys(hooks.tool[toolID].args), schema: output.jsonSchema }
    }
    const other = { jsonSchema: "theirs" }
    await hooks["tool.definition"]({ toolID: "toString" }, other)
    const config = { experimental: { primary_tools: ["recall", "bash"] } }
    await hooks.config(config)
    return { found, other, primary: config.experimental.primary_tools }
  },
  async hooks() {
    const reminded = await until(async () => ((await system()).length > 1 ? await system() : null))
    const message = said("How did we fix the flaky capacity test last time?")
    const plain = said("Add a button to the page, please.", "m-plain")
    for (const each of [message, plain]) await hooks["chat.message"]({ sessionID: "now" }, each)
    const messages = [message, plain].map(({ message: info, parts }) => ({ info, parts }))
    const texts = () => messages.map((each) => each.parts.map((part) => part.text))
    await until(async () => {
      await hooks["experimental.chat.messages.transform"]({}, { messages })
      return texts()[0].length > 1
    })
    await hooks["experimental.chat.messages.transform"]({}, { messages }) // adds nothing twice
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "demo-10" } } })
    const context = await until(async () => {
      const output = { context: [] }
      await hooks["experimental.session.compacting"]({ sessionID: "demo-10" }, output)
      return output.context.length ? output.context : null
    })
    return { reminded, texts: texts(), context }
  },
  async context() {
    // What the model still reads is left out of a global search.
    const before = await call("recall", { query: "token bucket" })
    const ids = before.results.map((each) => each.messageID)
    const session = before.results[0].sessionID
    const messages = ids.map((id) => ({ info: { id, sessionID: session }, parts: [] }))
    await hooks["experimental.chat.messages.transform"]({}, { messages })
    const after = await call("recall", { query: "token bucket" }, { sessionID: session })
    const own = await call("recall", { query: "token bucket", scope: "session" }, { sessionID: session })
    return { session, ids, after, own }
  },
  async killed() {
    const first = await call("recall_sessions", { scope: "global", limit: 1 })
    process.kill(options.pid ? options.pid : (await children())[0], "SIGKILL")
    const second = await call("recall_sessions", { scope: "global", limit: 1 })
    return { first: first.ok, second: second.ok }
  },
  async one() {
    return { answer: await call("recall", { query: "token bucket" }), system: await system() }
  },
  async slow() {
    const times = []
    for (let at = 0; at < 3; at++) {
      times.push(await timed(() => hooks["chat.message"]({ sessionID: "now" }, said("as we did last time", `m${at}`))))
      times.push(await timed(system))
      times.push(await timed(() => hooks["experimental.session.compacting"]({ sessionID: "s" }, { context: [] })))
    }
    return { times }
  },
  async abort() {
    const controller = new AbortController()
    const asked = call("recall", { query: "token bucket" }, { abort: controller.signal })
    await alive()
    controller.abort()
    const took = await timed(() => asked)
    const already = await call("recall", { query: "token bucket" }, { abort: controller.signal })
    return { answer: await asked, already, took }
  },
  async odd() {
    // Nothing that a host may hand in ends its turn.
    await hooks["chat.message"]({}, {})
    await hooks["experimental.chat.messages.transform"]({}, {})
    await hooks["experimental.chat.messages.transform"]({}, { messages: [{}] })
    await hooks["experimental.chat.system.transform"]({}, {})
    await hooks["experimental.session.compacting"]({}, {})
    await hooks.event({})
    await hooks.config(null)
    return { answer: await call("recall", null, { metadata: () => { throw new Error("theirs") } }) }
  },
  async leave() {
    await call("recall_sessions", {})
    return { pids: await children() }
  },
  async dispose() {
    await call("recall_sessions", {})
    const pids = await children()
    await hooks.dispose()
    const gone = await until(async () => pids.every((pid) => !lives(pid)))
    return { pids, gone, after: await call("recall_sessions", {}) }
  },
}

async function children() {
  const { readFileSync } = await import("node:fs")
  return readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ").map(Number)
}

function lives(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const found = await scenarios[scenario]()
process.stdout.write(JSON.stringify({ ...found, logged }), () => (scenario === "leave" ? process.kill(process.pid, "SIGKILL") : process.exit(0)))
