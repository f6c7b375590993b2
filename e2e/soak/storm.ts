import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fillRoom } from '../../bench/long-room.ts'
import { pause, percentile, printTable, processFigures } from '../../bench/measurement.ts'
import { live } from '../../contract/operations/index.ts'
import { startApp } from '../app.ts'
import { openCompanion } from '../companion-client.ts'
import { startEncoder } from '../encoder.ts'
import { round, serviceOf } from './growth.ts'
import { mutedWords, openLink, portOf, type Target } from './storm/attack.ts'
import type { StormOrder, StormOutcome } from './storm/attackers.ts'
import { openViewers, type HonestViewer } from './storm/honest-viewers.ts'

/**
 * A broadcast under every attack at once: a real encoder, 50 viewers from addresses of their own, a moderator and an API client, while a second
 * process does all that `storm/` has, from other addresses of 127.0.0.0/8 (Linux). A table of what is to be held, a table of what was tried; ends
 * with 1 when something was not held. Attacks end after `--minutes`, whatever happens. `--only` takes the attacks
 * with these words in their name. `node e2e/soak/storm.ts [--minutes 5] [--lines 100000] [--only words]`
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    lines: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
  },
})
const [minutes, lines] = [Math.min(60, Number(values.minutes)), Number(values.lines)]
/** ms, and MB of resident memory above the begin. */
const allowed = { stood: 1000, api: 100, verb: 1000, memory: 150 } as const
const viewerNumbers = { flv: 25, hls: 5, newcomers: 5, guests: 15 } as const
/** How long all is quiet before the attacks, in ms: so that HLS plays and memory is what a broadcast takes. */
const calm = 15_000
const members = 2000
const profileId = 'local'

const [creator, moderator] = ['host', 'mod']
const muted = ['loud0', 'loud1', 'loud2'].map((accid) => ({ accid, token: 'of-the-storm' }))

/** How long the event loop of a process has run, and how long it has wanted to and had no processor, in s. */
const turnsOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/schedstat`, 'utf8')
    .split(' ', 2)
    .map((time) => Number(time) / 1e9)

/** Makes channels and a room with a long past; the service does not run while the past is written. */
async function prepare() {
  const app = await startApp()
  const companion = await openCompanion(app)
  const { rpc } = companion
  const { roomid } = await rpc.rooms.create({ profileId, accid: creator, name: 'Storm', announcement: '' })
  for (const { accid, token } of [{ accid: moderator, token: 'of-the-storm' }, ...muted])
    await companion.call('/user/create.action', { accid, name: accid, token })
  await rpc.rooms.act({ profileId, roomid, measure: { kind: 'admin', target: moderator, on: true }, why: '' })
  for (const { accid } of muted)
    await rpc.rooms.act({ profileId, roomid, measure: { kind: 'mute', target: accid, on: true }, why: '' })
  const { cid } = await rpc.channels.create({ profileId, name: 'Storm' })
  const { cid: other } = await rpc.channels.create({ profileId, name: 'Other' })
  await rpc.rooms.link({ profileId, cid, roomid })
  companion.close()
  await app.stop()
  fillRoom(join(app.dataDir, 'service', 'sidestage.db'), roomid, lines, members)
  return { dataDir: app.dataDir, roomid, cid, other }
}

const { dataDir, roomid, cid, other } = await prepare()
const app = await startApp({ dataDir })
const companion = await openCompanion(app)
const { rpc } = companion
const { service } = app.ready
const address = async (of: string): Promise<string> => {
  const { text } = await rpc.push.copy({ profileId, cid: of, part: 'url' })
  if (text === null) throw new Error('no push address')
  return text
}
const encoder = startEncoder(await address(cid), { gopSeconds: 1 })
const over = new AbortController()
let encoderEnded = false
encoder.exited.then(() => (encoderEnded ||= !over.signal.aborted)).catch(() => (encoderEnded = true))
const { port: seats } = await rpc.seats.listen({ on: true, open: false, port: 0 })
const target: Target = {
  service,
  companionPorts: [portOf(app.ready.url), seats],
  cid,
  roomid,
  otherPush: await address(other),
  moderator,
  muted,
}
const rows: Record<'what' | 'worst' | 'allowed' | 'held', string>[] = []
const judge = (what: string, worst: number, most: number, unit = ''): void =>
  void rows.push({
    what,
    worst: `${round(worst)}${unit}`,
    allowed: `${most}${unit}`,
    held: worst <= most ? 'yes' : 'NO',
  })

/** Times something again and again, with a pause in ms between, until it is over; what fails counts as having taken for ever. */
function timeEach(every: number, action: (number: number) => Promise<void>): readonly number[] {
  const times: number[] = []
  const go = async (): Promise<void> => {
    for (let number = 0; !over.signal.aborted; number++) {
      const begun = performance.now()
      const took = await action(number).then(
        () => performance.now() - begun,
        () => Infinity,
      )
      if (!over.signal.aborted) times.push(took)
      await pause(every)
    }
  }
  go().catch(() => times.push(Infinity))
  return times
}

try {
  // The stream must be on air before the first viewer asks.
  while (
    (await fetch(`${service.mediaUrl}/watch/${cid}/state`).then((answer) => answer.text())).includes('"live":false')
  )
    await pause(200)
  const viewers = await openViewers(target, viewerNumbers, over.signal)
  const waiting = new Map<string, () => void>()
  const told = (frame: string): void => {
    for (const [what, done] of waiting) if (frame.includes(what)) done()
  }
  const seat = await openLink(target, { accid: moderator, token: 'of-the-storm' }, '127.23.0.1', told)
  if (!seat) throw new Error('the moderator was not let in')
  /** Resolves when the link has told of something. */
  const hears = (what: string, act: () => Promise<unknown>): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        waiting.delete(what)
        resolve()
      }
      waiting.set(what, done)
      act().catch(reject)
      setTimeout(reject, 30_000, new Error(`never: ${what}`)).unref()
    })
  const ask = (number: number, frame: object): Promise<void> =>
    hears(`"t":"ok","id":${number},`, () =>
      Promise.resolve(seat.send(JSON.stringify({ ...frame, id: number, roomid }))),
    )
  await ask(2, { t: 'roomEnter', lines: 0 })
  await pause(calm)

  const serviceBefore = serviceOf(app.process.pid!)
  const memoryBefore = processFigures(serviceBefore).memory
  let maxMemory = memoryBefore
  const turnsBefore = turnsOf(serviceBefore)
  let turns = turnsBefore
  let restarted = false
  const looking = setInterval(() => {
    restarted ||= serviceOf(app.process.pid!) !== serviceBefore
    if (restarted) return
    maxMemory = Math.max(maxMemory, processFigures(serviceBefore).memory)
    turns = turnsOf(serviceBefore)
  }, 500)
  const ownDelay = monitorEventLoopDelay({ resolution: 10 })
  ownDelay.enable()
  const calls = timeEach(50, () => companion.call(live.state.path, { cid }))
  const spoken = timeEach(2000, (number) =>
    ask(100 + number, { t: 'roomSend', type: 0, attach: `the moderator says ${number}`, clientId: `mod-${number}` }),
  )
  // From the click to the notice in the room.
  const measures = timeEach(1500, (number) => {
    const seconds = 1000 + number
    const measure = { kind: 'temporaryMute', target: 'm1', seconds } as const
    return hears(String(seconds), () => rpc.rooms.act({ profileId, roomid, measure, why: '' }))
  })

  const attackers = fork(join(import.meta.dirname, 'storm', 'attackers.ts'), [], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Keeps Infinity, which JSON does not have.
    serialization: 'advanced',
  })
  const order: StormOrder = { target, duration: minutes * 60_000, only: values.only }
  const ended = once(attackers, 'exit')
  const reported = Promise.race([
    once(attackers, 'message') as Promise<[StormOutcome[]]>,
    ended.then((): [undefined] => [undefined]),
  ])
  attackers.send(order)
  const [outcomes] = await reported
  await ended

  clearInterval(looking)
  const worst = (kind: HonestViewer['kind']): number =>
    Math.max(
      ...viewers
        .filter((viewer) => viewer.kind === kind)
        .map((viewer) => (viewer.fault() === undefined ? viewer.stood() : Infinity)),
    )
  judge('restarts of the service', Number(restarted), 0)
  judge('ends of the encoder', Number(encoderEnded), 0)
  judge('longest standing picture by HTTP-FLV', worst('HTTP-FLV'), allowed.stood, ' ms')
  judge('longest standing picture by HLS', worst('HLS'), allowed.stood, ' ms')
  judge('the same with a new connection for each read', worst('newcomer'), allowed.stood, ' ms')
  const guests = viewers.filter(({ kind }) => kind === 'guest')
  judge('guests that were put out', guests.filter((viewer) => viewer.fault() !== undefined).length, 0)
  const missed = guests.map(
    ({ told: frames }) =>
      spoken.filter((_, number) => !frames.some((frame) => frame.includes(`the moderator says ${number}"`))).length,
  )
  judge('lines of the moderator that a guest missed', Math.max(...missed), 1)
  judge(
    'words of muted people that guests read',
    guests.flatMap((viewer) => viewer.told).filter((frame) => frame.includes(mutedWords)).length,
    0,
  )
  judge(`p99 of ${calls.length} calls of the API`, percentile(calls, 0.99), allowed.api, ' ms')
  judge(`longest of ${spoken.length} lines of the moderator`, Math.max(...spoken), allowed.verb, ' ms')
  judge(`longest of ${measures.length} mutes by the moderator`, Math.max(...measures), allowed.verb, ' ms')
  judge('memory of the service above the begin', maxMemory - memoryBefore, allowed.memory, ' MB')
  for (const { what, worst: found, most, unit } of (outcomes ?? []).flatMap(({ judgements }) => judgements))
    judge(what, found, most, unit)
  const faults = (
    outcomes ?? [{ name: 'the attackers', tried: {}, judgements: [], fault: 'ended without a report' }]
  ).filter(({ fault }) => fault !== undefined)
  judge(
    'attacks that could not be made',
    faults.length + (outcomes ?? []).filter(({ tried }) => Object.keys(tried).length === 0).length,
    0,
  )
  printTable(rows)
  console.log()
  for (const { name, tried, fault } of outcomes ?? faults) {
    const parts = Object.entries(tried).map(([what, times]) => `${what} ${times}`)
    console.log(`${name}: ${[...parts, ...(fault === undefined ? [] : [`FAILED: ${fault}`])].join(', ')}`)
  }
  for (const why of new Set(viewers.flatMap((viewer) => viewer.fault() ?? []))) console.log(`a viewer: ${why}`)
  // A machine that has other work makes everything late, newcomers most: they are let in by turns of the event loop.
  const [ran, waited] = turns.map((time, index) => round(time - turnsBefore[index]!))
  console.log(`event loop of the service: ran ${ran} s, waited for a processor ${waited} s`)
  console.log(
    `loop delay of the process that measures: p99 ${round(ownDelay.percentile(99) / 1e6)} ms, longest ${round(ownDelay.max / 1e6)} ms`,
  )
} finally {
  over.abort()
  await encoder.stop('SIGKILL')
  companion.close()
  await app.dispose()
}
process.exit(rows.length === 0 || rows.some(({ held }) => held === 'NO') ? 1 : 0)
