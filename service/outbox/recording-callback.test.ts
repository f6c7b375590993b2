import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { startPythonReceiver, type PythonReceiver } from './testing/python-receiver.ts'
import { waitFor } from './testing/wait.ts'

let service: TestService
let python: PythonReceiver
let folder: ReturnType<typeof temporaryFolder>

beforeEach(async () => {
  folder = temporaryFolder()
  // A "minute" of 400 ms: slices of 2 s.
  service = await startService({ recording: { minute: 400 } })
})
afterEach(async () => {
  python.close()
  await service.close()
  folder.remove()
})

it('every recorded slice, and a merge without its times, is called back once with a right signature', async () => {
  // The first attempt is refused; its message is resent.
  python = await startPythonReceiver('签名 key', [503])
  await service.call(recordings.setCallback, { recordClk: python.url })
  await service.call(recordings.setSignKey, { signKey: '签名 key' })
  const { cid, pushUrl } = (await service.call(live.create, { name: '晚会' })).ret!
  await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1, format: 0, duration: 5, filename: '晚会' })
  const fixture = await encodeFixture(folder.path, 'push', { duration: 5, gop: 30 })
  const push = spawn('ffmpeg', ['-v', 'error', '-re', '-i', fixture, '-c', 'copy', '-f', 'flv', pushUrl], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect((await once(push, 'close'))[0]).toBe(0)

  const list = async () => (await service.call(recordings.videoList, { cid })).ret!.videoList
  const slices = async (): Promise<boolean> =>
    (await list()).length >= 2 && (await service.call(live.state, { cid })).ret!.status === 0
  await waitFor('the slices', slices, 20_000)
  const vids = (await list()).map(({ vid }) => vid)
  const delivered = (): typeof python.requests =>
    python.requests.filter(({ fields }, index) => index > 0 && fields['vid'] !== undefined)
  await waitFor('their callbacks', async () => {
    const listed = (await list()).length
    return new Set(delivered().map(({ fields }) => fields['vid'])).size >= listed && listed >= 2
  })
  for (const entry of await list()) {
    const request = delivered().find(({ fields }) => fields['vid'] === String(entry.vid))
    expect(request).toMatchObject({ verified: true, allText: true })
    const { beginTime, endTime, origUrl, ...fields } = request!.fields
    expect(origUrl).toMatch(/^http:/)
    expect(fields).toEqual({
      video_name: entry.video_name,
      orig_video_key: entry.orig_video_key,
      uid: String(entry.uid),
      vid: String(entry.vid),
      cid,
      nId: fields['nId'],
    })
    expect(entry.orig_video_key).toContain(`${cid}_${beginTime}_${endTime}_`)
  }
  const file = delivered()[0]!.fields['origUrl']!
  const bytes = Buffer.from(await (await fetch(file)).arrayBuffer())
  expect(bytes.subarray(4, 8).toString()).toBe('ftyp')
  // No address of a file is logged.
  expect(JSON.stringify((await service.call(local.deliveries, {})).ret)).not.toContain('/recordings/')

  const first = python.requests[0]!.fields['nId']
  expect(delivered().filter(({ fields }) => fields['nId'] === first)).toHaveLength(1)

  await service.call(recordings.merge, { outputName: '合集', vidList: vids.slice(0, 2) })
  await waitFor(
    'the callback of the merge',
    () => python.requests.some(({ fields }) => fields['video_name'] === '合集'),
    20_000,
  )
  const merged = python.requests.find(({ fields }) => fields['video_name'] === '合集')!
  expect(merged.verified).toBe(true)
  expect(Object.keys(merged.fields).sort()).toEqual([
    'cid',
    'nId',
    'origUrl',
    'orig_video_key',
    'uid',
    'vid',
    'video_name',
  ])
  await waitFor('the marks', async () =>
    (await service.call(local.deliveries, {})).ret!.list.every(({ state }) => state === 'delivered'),
  )
  // One message and one id per file, however often sent.
  const nIds = (await service.call(local.deliveries, {})).ret!.list.map(({ nId }) => nId)
  expect(new Set(python.requests.map(({ fields }) => fields['nId']))).toEqual(new Set(nIds))
  expect(nIds).toHaveLength((await list()).length)
})
