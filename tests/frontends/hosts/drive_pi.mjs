// Load the extension for pi, call a tool through a stand-in of pi, and print what it registered and answered.
import { pathToFileURL } from "node:url"

const extension = await import(pathToFileURL(process.argv[2]).href)
const tools = new Map()
const events = new Map()
extension.default({ registerTool: (tool) => tools.set(tool.name, tool), on: (name, act) => events.set(name, act) })
const ctx = { cwd: "/srv/quay", sessionManager: { getSessionId: () => "s-1" } }
const call = async (name, args, signal) => {
  try {
    return (await tools.get(name).execute("c1", args, signal, undefined, ctx)).content[0].text
  } catch (error) {
    return `error: ${error.message}`
  }
}
const told = { tools: [...tools.keys()], events: [...events.keys()] }
told.first = await call("recall", { query: "tariff" })
told.lost = await call("recall", { query: "die" })
told.again = await call("recall", { query: "again" })
const stop = new AbortController()
const waiting = call("recall", { query: "wait" }, stop.signal)
setTimeout(() => stop.abort(), 10)
told.cancelled = await waiting
events.get("session_shutdown")()
console.log(JSON.stringify(told))
