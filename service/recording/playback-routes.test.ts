import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { httpRequest } from '../testing/http-request.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { listFile } from './testing/listed-file.ts'

const clock = manualWallClock()
let service: TestService
let cid: string
beforeEach(async () => {
  service = await startService({ clock })
  cid = (await service.call(live.create, { name: 'recorded' })).ret!.cid
})
afterEach(() => service.close())

const listed = (format: number, text = 'the film'): Promise<number> =>
  listFile(service, cid, clock.now(), { format, bytes: Buffer.from(text) })
const ticketOf = async (vid: number): Promise<string> => (await service.call(local.playbackTicket, { vid })).ret!.url
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

it('serves a file at its ticket with the type of its format, and its head alone where that is asked for', async () => {
  for (const [format, type] of [
    [0, 'video/mp4'],
    [1, 'video/x-flv'],
  ] as const) {
    const url = await ticketOf(await listed(format))
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, type, 'the film'])
    const head = await httpRequest(url, { method: 'HEAD' })
    expect([head.status, head.headers['content-type'], head.headers['content-length'], head.text]).toEqual([
      200,
      type,
      '8',
      '',
    ])
  }
})

it('serves no file under the name of another one or of another format', async () => {
  const [vid, other] = [await listed(0), await listed(0, 'another film')]
  const url = await ticketOf(vid)
  expect(await statusOf(url)).toBe(200)
  expect(await statusOf(url.replace(`/${vid}.mp4`, `/${other}.mp4`))).toBe(404)
  expect(await statusOf(url.replace('.mp4', '.flv'))).toBe(404)
  expect(await statusOf(url.replace('.mp4', ''))).toBe(404)
})

it('serves no file with the ticket of another one, or a ticket that was changed', async () => {
  const [vid, other] = [await listed(0), await listed(0)]
  const url = await ticketOf(vid)
  const ofOther = url.replace(`/recordings/${vid}.`, `/recordings/${other}.`).replace(`/${vid}.mp4`, `/${other}.mp4`)
  expect(await statusOf(ofOther)).toBe(404)
  const longer = url.replace(
    /(\/recordings\/[0-9]+\.)([0-9]+)/,
    (_all, before: string, end: string) => before + (Number(end) + 1),
  )
  expect(await statusOf(longer)).toBe(404)
  expect(await statusOf(url.replace(/[^/]+(?=\/[0-9]+\.mp4)/, 'ticket'))).toBe(404)
})

it('serves no file that is deleted, from the list or from the disk', async () => {
  const [vid, other] = [await listed(0), await listed(0)]
  const [url, second] = [await ticketOf(vid), await ticketOf(other)]
  await service.call(local.removeRecordings, { vidList: [vid] })
  expect(await statusOf(url)).toBe(404)
  rmSync(join(service.dataDir, 'recordings', cid, `${other}.mp4`))
  const missing = await fetch(second)
  expect([missing.status, await missing.json()]).toEqual([
    404,
    { code: 404, msg: expect.stringMatching(/^the file of this address is missing: /) },
  ])
})

it('gives a new ticket at each call, each for 10 minutes from now', async () => {
  const vid = await listed(0)
  const first = (await service.call(local.playbackTicket, { vid })).ret!
  expect(first.expires).toBe(clock.now() + 10 * 60_000)
  clock.advance(60_000)
  const second = (await service.call(local.playbackTicket, { vid })).ret!
  expect(second.expires).toBe(clock.now() + 10 * 60_000)
  expect(await statusOf(first.url)).toBe(200)
})
