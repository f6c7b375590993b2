import { spawn } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { ListedRoom, RecordedFile, RecordingState } from '../../contract/rpc/index.ts'
import { scratch, startRig, until, untilKept } from '../testing/rig.ts'
import { createRoomMedia } from './room-media.ts'

const cid = 'c'.repeat(32)
const hour = 3_600_000
const now = 1_800_000_000_000
const file = (vid: number, begin: number | null, minutes: number, more: Partial<RecordedFile> = {}): RecordedFile => ({
  vid,
  cid,
  name: `file ${vid}`,
  key: 'key',
  begin,
  end: begin === null ? null : begin + minutes * 60_000,
  format: 'mp4',
  bytes: 1,
  duration: minutes * 60_000,
  codecs: 'avc1',
  merged: false,
  ...more,
})
const room = (roomid: number, linked: string | null): ListedRoom => ({
  roomid,
  name: 'n',
  creator: 'ana',
  valid: true,
  online: 0,
  cid: linked,
})
/** A service with these files, which is or is not recording; room 1 is linked to a channel, room 2 is not. */
function media(files: readonly RecordedFile[], state: Partial<RecordingState> | null = { state: 'off' }) {
  const asked: [number, number][] = []
  const { second } = createRoomMedia({
    rooms: {
      find: (_profile, roomid) => Promise.resolve([room(2, null), room(1, cid)].find((each) => each.roomid === roomid)),
    },
    recordings: {
      list: ({ beginTime: begin, endTime: end }) => {
        asked.push([begin, end])
        return Promise.resolve({
          files: files.filter((each) => (each.end ?? end) >= begin && (each.begin ?? begin) <= end).toReversed(),
        })
      },
      state: () => Promise.resolve(state && { state: 'off', reason: null, since: null, bytes: 0, cut: null, ...state }),
    },
  })
  return { asked, at: (at: number, roomid = 1) => second('local', roomid, at) }
}

describe('the second of a line', () => {
  const [first, second] = [file(1, now, 60), file(2, now + 60 * 60_000 + 300, 60)]

  it('is in the file that was being recorded then', async () => {
    const { at } = media([first, second])
    expect(await at(now + 90_500)).toEqual({ found: 'file', cid, file: first, seconds: 90.5 })
    expect(await at(now + hour + 1300)).toEqual({ found: 'file', cid, file: second, seconds: 1 })
    // Between two slices of one push nothing is missing.
    expect(await at(now + hour + 200)).toEqual({ found: 'file', cid, file: first, seconds: 3600 })
    expect(await at(now - 400)).toEqual({ found: 'file', cid, file: first, seconds: 0 })
  })

  it('is not looked for in merged files, nor in those that do not say when they were', async () => {
    const { at } = media([file(3, now, 60, { merged: true }), file(4, null, 60), first])
    expect(await at(now + 1000)).toMatchObject({ found: 'file', file: { vid: 1 } })
    expect(await media([file(3, now, 60, { merged: true })]).at(now + 1000)).toEqual({
      found: 'none',
      cid,
      before: null,
      after: null,
    })
  })

  it('comes with the next cut while it is being recorded, and only what is', async () => {
    const running = { state: 'recording', since: now, cut: now + 3 * hour } as const
    const { at } = media([first], running)
    expect(await at(now + 2 * hour)).toEqual({ found: 'running', cid, cut: now + 3 * hour })
    expect(await at(now + 1000)).toMatchObject({ found: 'file' })
    expect(await at(now - 5000)).toMatchObject({ found: 'none' })
  })

  it('is nowhere when nothing was recorded, and the nearest files are told, also those far away', async () => {
    const { at, asked } = media([file(1, now - 50 * hour, 60), file(2, now + 50 * hour, 60)])
    expect(await at(now)).toMatchObject({ found: 'none', before: { vid: 1 }, after: { vid: 2 } })
    for (const [begin, end] of asked) expect(end - begin).toBeLessThanOrEqual(7 * 24 * hour)
  })

  it('is unknown for a room that no channel is linked to, and for one that is not there', async () => {
    const { at } = media([first])
    expect(await at(now, 2)).toEqual({ found: 'unlinked' })
    expect(await at(now, 99)).toEqual({ found: 'unlinked' })
  })

  it('is in a file less than a second behind its end, and less than a second before its begin', async () => {
    const { at } = media([first])
    const end = now + hour
    expect(await at(end + 999)).toEqual({ found: 'file', cid, file: first, seconds: 3_600 })
    expect(await at(end + 1_000)).toEqual({ found: 'none', cid, before: first, after: null })
    expect(await at(now - 999)).toEqual({ found: 'file', cid, file: first, seconds: 0 })
    expect(await at(now - 1_000)).toEqual({ found: 'none', cid, before: null, after: first })
  })

  it('is in the file that began last, where two have it', async () => {
    const later = file(9, now + 1_000, 60)
    expect(await media([later, first]).at(now + 2_000)).toMatchObject({ file: { vid: 9 }, seconds: 1 })
    expect(await media([later, first]).at(now + 999)).toMatchObject({ file: { vid: 1 } })
  })

  it('is being recorded from less than a second before that began', async () => {
    const { at } = media([], { state: 'recording', since: now, cut: null })
    expect(await at(now - 999)).toEqual({ found: 'running', cid, cut: null })
    expect(await at(now - 1_000)).toMatchObject({ found: 'none' })
    expect(await media([], { state: 'recording', since: null }).at(now)).toMatchObject({ found: 'none' })
    expect(await media([], { state: 'off', since: now }).at(now)).toMatchObject({ found: 'none' })
  })

  it('is looked for four hours around, and then half a week around, and not before 1970', async () => {
    const { asked, at } = media([])
    await at(now)
    expect(asked).toEqual([
      [now - 4 * hour, now + 4 * hour],
      [now - 84 * hour, now + 84 * hour],
    ])
    asked.length = 0
    await at(1_000)
    expect(asked.map(([begin]) => begin)).toEqual([0, 0])
    const found = media([first])
    await found.at(now)
    expect(found.asked).toHaveLength(1)
  })

  it('asks whether it is being recorded before it looks for the files, which have an ended slice by then', async () => {
    const order: string[] = []
    const { second: find } = createRoomMedia({
      rooms: { find: () => Promise.resolve(room(1, cid)) },
      recordings: {
        list: () => {
          order.push('list')
          return Promise.resolve({ files: [] })
        },
        state: () => {
          order.push('state')
          return Promise.resolve(null)
        },
      },
    })
    await find('local', 1, now)
    expect(order).toEqual(['state', 'list', 'list'])
  })
})

it('is found through the link of the embedded service, in what is really recorded', async () => {
  using folder = scratch()
  const rig = await startRig(folder.dir)
  await rig.companion.serviceReady(40_000)
  const { rpc } = rig.page
  const profileId = 'local'
  const made = await rpc.channels.create({ profileId, name: 'beside' })
  const on = { profileId, cid: made.cid }
  const { roomid } = await rpc.rooms.create({ profileId, accid: 'host', name: 'Room', announcement: '' })
  await rpc.recordings.configure({ ...on, needRecord: true, format: 'mp4', duration: 5, filename: 'Kept' })
  const url = (await rpc.push.copy({ ...on, part: 'url' })).text ?? ''
  const input = '-nostdin -loglevel error -re -f lavfi -i testsrc2=size=320x180:rate=30'
  const encoder = spawn(
    'ffmpeg',
    [...`${input} -c:v libx264 -preset ultrafast -tune zerolatency -g 30 -pix_fmt yuv420p -f flv`.split(' '), url],
    {
      stdio: 'ignore',
    },
  )
  try {
    await untilKept(rig.page, made.cid)
    const { at } = await rpc.rooms.say({ profileId, roomid, text: 'now' })
    expect(await rpc.rooms.second({ profileId, roomid, at })).toEqual({ found: 'unlinked' })
    await rpc.rooms.link({ ...on, roomid })
    expect(await rpc.rooms.second({ profileId, roomid, at })).toMatchObject({
      found: 'running',
      cid: made.cid,
      cut: expect.any(Number) as number,
    })
    await until('a picture after the line', async () => ((await rpc.recordings.state(on))?.bytes ?? 0) > 60_000)
    // In order: a lost encoder is held for 2 min.
    encoder.kill('SIGINT')
    await until('the file', () => rig.page.newest('recorded'))
    const found = await rpc.rooms.second({ profileId, roomid, at })
    expect(found).toMatchObject({ found: 'file', cid: made.cid })
    if (found.found !== 'file') return
    expect(Math.abs((found.file.begin ?? 0) + found.seconds * 1000 - at)).toBeLessThanOrEqual(1000)
    expect(await rpc.rooms.second({ profileId, roomid, at: at - hour })).toMatchObject({
      found: 'none',
      before: null,
      after: { vid: found.file.vid },
    })
  } finally {
    encoder.kill('SIGKILL')
    await rig.close()
  }
})
