import { manualClock } from '../../../platform/testing/manual-clock.ts'
import { createEventHub } from '../../hub/event-hub.ts'
import type { ConnectedSeat } from '../../lines/connected-seat.ts'
import { until } from '../../testing/rig.ts'
import type { RouterPorts } from '../ports.ts'
import { createRpcServer } from '../server.ts'

/** A call of a port with what it was given. */
export type Made = readonly [port: string, ...given: unknown[]]

/** A server whose ports note what is asked of them; `more` are ports that answer. */
export function notedServer(more: Record<string, unknown> = {}) {
  const made: Made[] = []
  const clock = manualClock()
  const hub = createEventHub()
  const noted = (path: string): unknown =>
    new Proxy(() => undefined, {
      get: (_target, name) => {
        if (name === 'then') return undefined
        // Forwarding handlers call methods so; a procedure without input has no argument.
        if (name === 'call' && path.includes('.'))
          return (_self: unknown, input: unknown) => void made.push(input === undefined ? [path] : [path, input])
        return noted(`${path}.${String(name)}`)
      },
      apply: (_target, _self, given: unknown[]) => void made.push([path, ...given]),
    })
  const known: Record<string, unknown> = { clock, hub, log: () => undefined, heard: () => undefined, ...more }
  const ports = new Proxy(known, { get: (of, name: string) => (name in of ? of[name] : noted(name)) })
  const server = createRpcServer(ports as unknown as RouterPorts)
  const page = (seat?: Partial<ConnectedSeat>) => {
    const on = { backlog: 0, closed: false }
    const answers: string[] = []
    let hear = (_text: string): void => undefined
    let count = 0
    const line = server.attach(
      {
        send: (text) => void answers.push(text),
        onMessage: (listener) => (hear = listener),
        onClose: () => undefined,
        backlog: () => on.backlog,
        close: () => (on.closed = true),
      },
      seat as ConnectedSeat | undefined,
    )
    const say = (path: string, json?: object): void =>
      hear(JSON.stringify({ i: String(++count), p: { u: `/${path.replaceAll('.', '/')}`, b: { json } } }))
    const call = async (path: string, json?: object): Promise<string> => {
      const own = `"i":"${count + 1}"`
      say(path, json)
      return until('an answer', () => answers.find((answer) => answer.includes(own)), 10_000)
    }
    return { on, answers, say, call, end: () => line.end() }
  }
  return { made, hub, clock, page, close: () => server.close() }
}
