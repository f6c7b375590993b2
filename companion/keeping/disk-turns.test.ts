import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { live } from '../../contract/operations/index.ts'
import type { Credentials } from '../../contract/service-process.ts'
import type { FailureData } from '../../contract/rpc/index.ts'
import type { CompanionPorts } from '../companion.ts'
import { createClient } from '../client/client.ts'
import { createTransport } from '../client/transport.ts'
import { systemClock } from '../../platform/clock.ts'
import { nodeLauncher } from '../supervisor/launcher.ts'
import { tryFailingWrites } from '../../platform/testing/failing-writes.ts'
import { coverReadOnly, tryFailingDisk } from '../../platform/testing/failing-disk.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, type Rig, scratch, serviceEntry, startRig, until, untilKept } from '../testing/rig.ts'

const profileId = 'local'
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const free = { host: '127.0.0.1', port: 0 }
const ends: (() => void | Promise<void>)[] = []
let rig: Rig
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** The keychain, which a new start finds as it was. */
const vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
async function start(home: string, more: Partial<CompanionPorts> = {}): Promise<void> {
  const choices = { dataDir: path.join(home, 'service'), api: free, media: free, rtmp: free, recording: { reserve: 0 } }
  rig = await startRig(home, { vault, choices, ...more })
  await rig.companion.serviceReady(150_000)
}
async function makeChannel(): Promise<string> {
  const { cid } = await rig.page.rpc.channels.create({ profileId, name: 'kept' })
  await rig.page.rpc.recordings.configure({
    profileId,
    cid,
    needRecord: true,
    format: 'mp4',
    duration: 5,
    filename: 'Kept',
  })
  return cid
}
const push = async (cid: string): Promise<ChildProcess> => {
  const { text } = await rig.page.rpc.push.copy({ profileId, cid, part: 'url' })
  const input = ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=30', '-f', 'lavfi', '-i', 'sine=frequency=440']
  const output = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    '30',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-f',
    'flv',
    text ?? '',
  ]
  const encoder = spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', '-re', ...input, ...output], { stdio: 'ignore' })
  ends.push(() => void encoder.kill('SIGKILL'))
  return encoder
}
const recording = (cid: string) => rig.page.newest('recording', (event) => event.cid === cid)?.recording
/** Waits until a recording that stopped goes on, and so much of it is written that its file will be kept. */
const untilRecorded = (cid: string): Promise<unknown> =>
  until('recording to go on', () => {
    const event = rig.page.newest('recording', (one) => one.cid === cid)
    return (
      event &&
      event.recording.state !== 'stopped' &&
      event.recording.bytes > 30_000 &&
      event.at - (event.recording.since ?? event.at) > 2_500
    )
  })
const isOnAir = (cid: string): boolean => {
  const { tallies } = rig.page.newest('tallies', (event) => event.profileId === profileId)!
  return [1, 3].includes(tallies.find((one) => one.cid === cid)?.status ?? 0)
}
/** Lengths of the recordings that are listed, in ms, newest first. */
const files = async (): Promise<(number | null)[]> => {
  const listed = await rig.page.rpc.recordings.all({
    profileId,
    beginTime: 0,
    endTime: 4_102_444_800_000,
    deletedOnly: false,
    limit: 10,
    before: null,
  })
  return listed.files.map(({ duration }) => duration)
}
/** Nothing ended: the encoder still pushes to the same process, and the app answers. */
async function expectAlive(cid: string, encoder: ChildProcess): Promise<void> {
  expect(rig.processes).toHaveLength(1)
  expect([encoder.exitCode, encoder.signalCode]).toEqual([null, null])
  expect(isOnAir(cid)).toBe(true)
  expect((await rig.page.rpc.channels.list({ profileId })).total).toBe(1)
}
const refusals = async (
  writes: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Record<string, FailureData['kind']>> => {
  const kinds: Record<string, FailureData['kind']> = {}
  for (const [what, write] of Object.entries(writes)) kinds[what] = (await failureOf(write())).kind
  return kinds
}

it('a disk that turns read-only while the app runs stops recording with its reason, refuses what cannot be kept by name, ends nothing, and has all of it when it is well', async ({
  skip,
}) => {
  const at = scratch()
  ends.push(() => at[Symbol.dispose]())
  const home = path.join(at.dir, 'home')
  const disk = tryFailingDisk(home, 96)
  if (typeof disk === 'string') return skip(disk)
  ends.push(() => disk.remove())
  await start(home)
  let running = true
  ends.push(() => (running ? rig.close() : undefined))
  const cid = await makeChannel()
  await rig.page.rpc.app.changeSettings({ theme: 'light' })
  const { roomid } = await rig.page.rpc.rooms.create({ profileId, accid: 'host', name: 'Room', announcement: 'first' })
  const encoder = await push(cid)
  await untilKept(rig.page, cid)

  disk.turn()
  await until('recording to stop', () => recording(cid)?.state === 'stopped')
  expect(recording(cid)).toMatchObject({ reason: 'readonly' })
  const { rpc } = rig.page
  const named = await refusals({
    'a document of the app': () => rpc.app.changeSettings({ theme: 'dark' }),
    'a call of the service': () => rpc.channels.create({ profileId, name: 'more' }),
    'a room': () => rpc.rooms.create({ profileId, accid: 'host', name: 'Other', announcement: '' }),
    'the log of actions': () =>
      rpc.rooms.act({ profileId, roomid, measure: { kind: 'announce', text: 'second' }, why: '' }),
    'an upload': () =>
      rpc.messaging.upload({ profileId, content: Buffer.alloc(20_000, 7).toString('base64'), type: 'bin' }),
  })
  expect(named).toEqual(Object.fromEntries(Object.keys(named).map((what) => [what, 'readOnly'])))
  expect(rig.page.newest('settings')?.settings.theme).toBe('light')
  expect(rig.page.newest('disk')?.refuses).toBe(true)
  await expectAlive(cid, encoder)
  expect(rig.log.filter((line) => line.includes('the disk can only be read')).length).toBeGreaterThan(0)

  encoder.kill('SIGKILL')
  running = false
  await rig.close()
  disk.renew()
  await start(home)
  running = true
  expect(rig.page.newest('settings')?.settings.theme).toBe('light')
  await until('the file of before', async () => ((await files())[0] ?? 0) > 1)
  await rig.page.rpc.app.changeSettings({ theme: 'dark' })
  const again = await push(cid)
  await untilKept(rig.page, cid)
  await expectAlive(cid, again)
  again.kill('SIGKILL')
})

/** Bytes of the picture that came to a viewer so far. */
async function watch(cid: string): Promise<() => number> {
  const { baseUrl, imBaseUrl } = (await rig.companion.serviceReady(1))!
  const client = createClient(
    { liveUrl: baseUrl, messagingUrl: imBaseUrl, ...credentials! },
    { transport: createTransport(), clock: systemClock, random: randomBytes },
  )
  const leave = new AbortController()
  ends.push(() => leave.abort())
  const { body } = await fetch((await client.call(live.address, { cid })).ret.httpPullUrl, { signal: leave.signal })
  let bytes = 0
  const read = async (): Promise<void> => {
    for await (const part of body!) bytes += part.length
  }
  read().catch(() => undefined)
  return () => bytes
}
let credentials: Credentials | undefined

it('a disk whose open files refuse every write for a while, as one that can only be read and as one with errors: all is refused by name, to the screen, in the log and over the link, the picture goes on, and all is taken afterwards without a restart', async ({
  skip,
}) => {
  const at = scratch()
  ends.push(() => at[Symbol.dispose]())
  const home = path.join(at.dir, 'home')
  const disk = tryFailingWrites(path.join(home, 'service'))
  if (typeof disk === 'string') return skip(disk)
  let started = 0
  /** What the service logged. */
  const lines: string[] = []
  const launch = nodeLauncher(serviceEntry, { execPath: disk.execPath })
  const launchHeard: typeof launch = () => {
    started += 1
    const made = launch()
    return {
      ...made,
      onLine: (listener) =>
        made.onLine((line) => {
          lines.push(line)
          listener(line)
        }),
      send: (message) => {
        if (message.type === 'start') credentials = message.credentials
        made.send(message)
      },
    }
  }
  await start(home, { launch: launchHeard })
  ends.push(() => rig.close())
  const { rpc } = rig.page
  const cid = await makeChannel()
  for (const accid of ['mei', 'host']) await rpc.messaging.createAccount({ profileId, call: { accid }, keep: true })
  await rpc.messaging.signIn({ profileId, accid: 'mei', keep: true })
  await until('the session', async () =>
    (await rpc.messaging.sessions({ profileId })).some(({ phase }) => phase === 'online'),
  )
  const { roomid } = await rpc.rooms.create({ profileId, accid: 'host', name: 'Room', announcement: 'first' })
  const encoder = await push(cid)
  await untilRecorded(cid)
  const seen = await watch(cid)
  const held = async (): Promise<unknown> => ({
    channels: (await rpc.channels.list({ profileId })).total,
    rooms: (await rpc.rooms.list({ profileId })).rooms.map(({ name }) => name).toSorted(),
    messages: (
      await rpc.operations.history.session({
        profileId,
        call: { from: 'mei', to: 'host', begintime: 0, endtime: 4_102_444_800_000, limit: 100 },
      })
    ).size,
    theme: rig.page.newest('settings')?.settings.theme,
  })
  await rpc.app.changeSettings({ theme: 'system' })

  for (const [n, { code, kind, reason, sentence }] of [
    {
      code: 'EROFS',
      kind: 'readOnly',
      reason: 'readonly',
      sentence: 'the disk of the service can only be read',
    } as const,
    { code: 'EIO', kind: 'broken', reason: 'error', sentence: 'the disk of the service answers with errors' } as const,
  ].entries()) {
    const message = {
      scene: 'p2p',
      to: 'host',
      type: 0,
      body: JSON.stringify({ msg: 'hello' }),
      clientId: `c${n}`,
    } as const
    const theme = n === 0 ? 'light' : 'dark'
    const ofService = {
      'a channel': () => rpc.channels.create({ profileId, name: `more_${n}` }),
      'a room': () => rpc.rooms.create({ profileId, accid: 'host', name: `Other ${n}`, announcement: '' }),
      'an upload': () =>
        rpc.messaging.upload({ profileId, content: Buffer.alloc(20_000, n).toString('base64'), type: 'bin' }),
      'a message over the link': () => rpc.messaging.link.send({ profileId, accid: 'mei', call: message }),
      'a measure': () => rpc.rooms.act({ profileId, roomid, measure: { kind: 'announce', text: `new ${n}` }, why: '' }),
    }
    // What the app opens anew fails where a mount that can only be read may be put over its folder.
    const writes = {
      ...ofService,
      ...(isRoot && code === 'EROFS' ? { 'a document of the app': () => rpc.app.changeSettings({ theme }) } : {}),
    }
    const before = await held()
    disk.fail(code)
    const uncover = isRoot && code === 'EROFS' ? coverReadOnly(home) : undefined
    try {
      await until('recording to stop', () => recording(cid)?.state === 'stopped')
      expect(recording(cid)).toMatchObject({ reason })
      expect(await refusals(writes)).toEqual(Object.fromEntries(Object.keys(writes).map((what) => [what, kind])))
      expect(await held()).toEqual(before)
      const then = seen()
      await until('the picture to go on', () => seen() > then + 20_000)
    } finally {
      uncover?.()
      disk.heal()
    }
    for (const what of ['an operation failed', 'a request of the link failed'])
      expect(
        lines.some((line) => line.includes(`${what}: ${sentence}`)),
        what,
      ).toBe(true)
    await untilRecorded(cid)
    for (const write of Object.values(writes)) await write()
    const rooms = ['Other 0', 'Other 1'].slice(0, n + 1)
    expect(await held()).toEqual({
      channels: n + 2,
      rooms: [...rooms, 'Room'],
      messages: n + 1,
      theme: isRoot ? 'light' : 'system',
    })
    expect([started, isOnAir(cid), encoder.exitCode]).toEqual([1, true, null])
  }
  // In order: a lost encoder is held for 2 min.
  encoder.kill('SIGINT')
  await until('all files', async () => (await files()).filter((duration) => (duration ?? 0) > 1).length === 3)
})
