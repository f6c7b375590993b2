import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accounts, chatrooms, live, local, recordings } from '../../contract/operations/index.ts'
import { requireEncoder } from '../hub/testing/fixture.ts'
import { clockAt } from '../testing/burnt-clock.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { slowWay, startClockPush, type ClockPush, type ClockPushOptions } from './testing/clock-push.ts'

await requireEncoder()
/** Allowed difference between a line's time and the clock in the picture, in ms. */
const allowed = 1000
let service: TestService
let roomid = 0
let count = 0

beforeAll(async () => {
  // A slice of 5 "minutes" lasts 4 s.
  service = await startService({ recording: { minute: 800 } })
  await service.call(accounts.create, { accid: 'ana', token: 'token-ana' })
  roomid = (await service.call(chatrooms.create, { creator: 'ana', name: 'beside the picture' })).chatroom!.roomid
})
afterAll(() => service.close())

const made = async (format: number, needRecord = 1): Promise<{ readonly cid: string; readonly pushUrl: string }> => {
  const { cid, pushUrl } = (await service.call(live.create, { name: `clock_${++count}` })).ret!
  await service.call(recordings.setAlwaysRecord, { cid, needRecord, format, duration: 5 })
  return { cid, pushUrl }
}
/** Says a line; returns its time in the room, in ms. */
const say = async (): Promise<number> => {
  const { desc } = await service.call(chatrooms.sendMsg, {
    roomid,
    msgId: `line-${++count}`,
    fromAccid: 'ana',
    msgType: 0,
    attach: 'now',
  })
  return Number(desc!.time)
}
const filesOf = async (cid: string) =>
  (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: Date.now() + 60_000 })).ret!.list
/** Says a line every second. */
const talk = async (times: number): Promise<number[]> => {
  const lines: number[] = []
  for (let time = 0; time < times; time++) {
    lines.push(await say())
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  return lines
}
type Files = Awaited<ReturnType<typeof filesOf>>
/** Whether a line is in a file, at least 200 ms before its end: there may be no picture after it. */
const within = ({ begin, end }: Files[number], line: number): boolean => begin <= line && line < end - 200
const filesWith = (files: Files, lines: readonly number[]): Files =>
  files.filter((file) => lines.some((line) => within(file, line)))
/** Says a line every second until enough slices with lines are complete: an encoder may be slower than real time. */
const talkOver = async (cid: string, slices: number): Promise<number[]> => {
  const lines: number[] = []
  while (filesWith(await filesOf(cid), lines).length < slices) lines.push(...(await talk(1)))
  return lines
}
const recorded = (cid: string) =>
  until(
    'it is being recorded',
    async () => (await service.call(local.recordingState, { cid })).ret!.state === 'recording',
  )
/** Expects the clock in the picture at each line's offset to show the line's time, in at least so many slices. */
async function expectSeconds(cid: string, push: ClockPush, lines: readonly number[], slices: number): Promise<void> {
  // The last slice, with its lines, may be dropped as too short.
  const files = await until('the slices are listed, with half of the lines or more', async () => {
    const list = await filesOf(cid)
    const inFiles = lines.filter((line) => list.some((file) => within(file, line)))
    return filesWith(list, lines).length >= slices && inFiles.length >= lines.length / 2 ? list : undefined
  })
  const off: number[] = []
  for (const line of lines) {
    const file = files.find((one) => within(one, line))
    if (!file) continue
    const place = join(service.dataDir, 'recordings', cid, `${file.vid}.${file.format === 1 ? 'flv' : 'mp4'}`)
    off.push(push.origin + (await clockAt(place, (line - file.begin) / 1000)) - line)
  }
  process.stdout.write(`seconds of lines are off by ${off.join(', ')} ms\n`)
  for (const ms of off) expect(Math.abs(ms)).toBeLessThanOrEqual(allowed)
}

describe.concurrent('the second of a line in a recording is the one burnt into its picture', () => {
  it.each<[string, number, ClockPushOptions]>([
    ['MP4', 0, { gopSeconds: 1 }],
    ['FLV', 1, { gopSeconds: 1 }],
    ['MP4 with B frames by an encoder that looks ahead', 0, { gopSeconds: 2, bFrames: 2, lookahead: 10 }],
  ])('of %s', async (_what, format, options) => {
    const { cid, pushUrl } = await made(format)
    const push = startClockPush(pushUrl, options)
    await recorded(cid)
    const lines = await talkOver(cid, 2)
    await push.stop()
    await expectSeconds(cid, push, lines, 2)
  })

  it('where recording was switched on within a long group of pictures', async () => {
    const { cid, pushUrl } = await made(0, 0)
    const push = startClockPush(pushUrl, { gopSeconds: 3 })
    await until('it is on air', async () => (await service.call(live.state, { cid })).ret!.status === 1)
    await talk(1)
    await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1 })
    await recorded(cid)
    const lines = await talk(4)
    await push.stop()
    await expectSeconds(cid, push, lines, 1)
  })

  it.each([
    ['begin', 0],
    ['first cut', 3],
  ])('where the network stood still for 3 s at the %s', async (_what, before) => {
    const { cid, pushUrl } = await made(0)
    const url = new URL(pushUrl)
    const way = await slowWay(Number(url.port))
    url.port = String(way.port)
    const push = startClockPush(url.href, { gopSeconds: 1 })
    await until('it is on air', async () => (await service.call(live.state, { cid })).ret!.status !== 0)
    if (before > 0) await recorded(cid)
    const lines = await talk(before)
    way.hold(true)
    lines.push(...(await talk(3)))
    way.hold(false)
    await recorded(cid)
    lines.push(...(await talk(6)))
    await push.stop()
    await way.close()
    await expectSeconds(cid, push, lines, 2)
  })
})
