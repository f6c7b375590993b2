import { type ChildProcess, spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { failureOf, type Rig, scratch, startRig, until, untilKept } from '../testing/rig.ts'

const folder = scratch()
let rig: Rig
let encoder: ChildProcess | undefined

beforeAll(async () => {
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(40_000)
})
afterAll(async () => {
  encoder?.kill('SIGKILL')
  await rig.close()
  folder[Symbol.dispose]()
})

function push(url: string): void {
  const input = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=320x180:rate=30',
    '-f',
    'lavfi',
    '-i',
    'sine=frequency=440:sample_rate=48000',
  ]
  const output = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-tune',
    'zerolatency',
    '-g',
    '30',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-f',
    'flv',
    url,
  ]
  encoder = spawn('ffmpeg', ['-nostdin', '-loglevel', 'error', '-re', ...input, ...output], { stdio: 'ignore' })
}
const ask = async (
  path: string,
  range?: string,
  method = 'GET',
): Promise<{ status: number; headers: { readonly [name: string]: string }; body: Buffer }> => {
  const answer = await rig.companion.relay.fetch({ method, path, range, signal: new AbortController().signal })
  const parts: Buffer[] = []
  if (answer.body) for await (const part of answer.body as AsyncIterable<Buffer>) parts.push(part)
  return { status: answer.status, headers: answer.headers, body: Buffer.concat(parts) }
}

it('records every push of a channel that is created with that wish, as the settings have it', async () => {
  const { rpc } = rig.page
  const profileId = 'local'
  const recordingOf = async (cid: string) => {
    const found = (await rpc.channels.list({ profileId })).channels.find((channel) => channel.cid === cid)
    return {
      needRecord: found?.needRecord,
      format: found?.format,
      duration: found?.duration,
      filename: found?.filename,
    }
  }
  await rpc.app.changeSettings({ recording: { everyPush: true, format: 'mp4', minutes: 15, named: true } })
  const wished = await rpc.channels.create({ profileId, name: 'Night_show', record: true })
  expect(wished.recording).toBe('on')
  expect(await recordingOf(wished.cid)).toEqual({
    needRecord: true,
    format: 'mp4',
    duration: 15,
    filename: 'Nightshow',
  })
  const plain = await rpc.channels.create({ profileId, name: 'Plain' })
  expect(plain.recording).toBe('asIs')
  expect(await recordingOf(plain.cid)).toEqual({ needRecord: false, format: 'flv', duration: 120, filename: '' })
  await rpc.channels.remove({ profileId, cids: [wished.cid, plain.cid] })
})

it('records a push, tells how it goes, plays the file by ranges, merges it and deletes it', async () => {
  const { rpc } = rig.page
  const profileId = 'local'
  const { cid } = await rpc.channels.create({ profileId, name: 'kept' })
  const on = { profileId, cid }
  expect(await rpc.recordings.state(on)).toMatchObject({ state: 'off', reason: null })
  await rpc.recordings.configure({ ...on, needRecord: true, format: 'mp4', duration: 5, filename: 'Kept' })
  expect(await rpc.recordings.state(on)).toMatchObject({ state: 'asked' })
  expect((await rpc.channels.list({ profileId })).channels[0]).toMatchObject({
    needRecord: true,
    format: 'mp4',
    duration: 5,
    filename: 'Kept',
  })

  const began = Date.now()
  push((await rpc.push.copy({ ...on, part: 'url' })).text ?? '')
  await untilKept(rig.page, cid)
  const { cut, since } = (await rpc.recordings.state(on))!
  expect((cut ?? 0) - (since ?? 0)).toBe(5 * 60_000)
  const marker = await rpc.recordings.mark({ ...on, label: '开场' })
  // In order: a lost encoder is held for 2 min.
  encoder?.kill('SIGINT')
  const { vid, name, merged } = await until('the file', () => rig.page.newest('recorded'))
  expect(name).toMatch(/^Kept_\d{8}-\d{6}_\d{8}-\d{6}$/)
  expect(merged).toBe(false)

  const range = { profileId, cids: [cid], beginTime: began - 60_000, endTime: Date.now() + 60_000 }
  const { files } = await rpc.recordings.list(range)
  expect(files).toHaveLength(1)
  expect(files[0]).toMatchObject({ vid, name, cid, format: 'mp4', merged: false })
  expect(await rpc.recordings.markers(range)).toEqual([marker])
  await rpc.recordings.renameMarker({ profileId, markerId: marker.markerId, label: '开场 2' })
  expect(await rpc.recordings.markers(range)).toEqual([{ ...marker, label: '开场 2' }])
  await rpc.recordings.removeMarker({ profileId, markerId: marker.markerId })
  expect(await rpc.recordings.markers(range)).toEqual([])
  expect((await failureOf(rpc.recordings.renameMarker({ profileId, markerId: marker.markerId, label: '' }))).code).toBe(
    618,
  )
  // This shell has no folder window.
  expect((await failureOf(rpc.recordings.show({ profileId, vid }))).kind).toBe('absent')
  expect((await failureOf(rpc.recordings.list({ ...range, beginTime: range.endTime - 7 * 86_400_000 - 1 }))).kind).toBe(
    'absent',
  )

  const { path } = await rpc.recordings.ticket({ profileId, vid })
  expect(path).toMatch(new RegExp(`^/media/[A-Za-z0-9_-]{32}/${vid}\\.mp4$`))
  const whole = await ask(path)
  expect(whole.status).toBe(200)
  expect(whole.headers['content-type']).toBe('video/mp4')
  expect(whole.body.length).toBe(files[0]?.bytes)
  expect(whole.body.subarray(4, 8).toString()).toBe('ftyp')
  const part = await ask(path, 'bytes=100-299')
  expect(part.status).toBe(206)
  expect(part.headers['content-range']).toBe(`bytes 100-299/${whole.body.length}`)
  expect(part.body.equals(whole.body.subarray(100, 300))).toBe(true)
  expect((await ask(path, undefined, 'HEAD')).headers['content-length']).toBe(String(whole.body.length))
  expect((await ask(path.replace(`${vid}.mp4`, `${vid + 1}.mp4`))).status).toBe(404)
  expect((await failureOf(rpc.recordings.ticket({ profileId, vid: vid + 100 }))).code).toBe(618)

  await rpc.recordings.merge({ profileId, outputName: 'Twice', vids: [vid, vid] })
  const result = await until('the merge', () => rig.page.newest('recorded', (event) => event.merged))
  const board = await rpc.recordings.merges({ profileId })
  expect(board.calls).toHaveLength(1)
  expect(board.tasks?.[0]).toMatchObject({ outputName: 'Twice', state: 'done', reason: null })
  expect(
    (await rpc.recordings.list({ ...range, endTime: Date.now() + 60_000 })).files.map((file) => [
      file.vid,
      file.merged,
    ]),
  ).toContainEqual([result.vid, true])
  expect((await failureOf(rpc.recordings.merge({ profileId, outputName: 'Gone', vids: [vid + 999] }))).code).toBe(618)
  expect((await rpc.recordings.remove({ profileId, vids: [vid, result.vid] })).removed.sort()).toEqual(
    [vid, result.vid].sort(),
  )
  expect((await rpc.recordings.list(range)).files).toEqual([])
  expect((await ask(path)).status).toBe(404)
  expect(await rpc.recordings.callbacks({ profileId, limit: 10 })).toEqual({ list: [], waiting: 0 })
  expect((await failureOf(rpc.recordings.resend({ profileId, nId: 'none' }))).code).toBe(618)
})

it('lists, plays and deletes the files of a channel that was deleted', async () => {
  const { rpc } = rig.page
  const profileId = 'local'
  const { cid } = await rpc.channels.create({ profileId, name: 'shortlived' })
  const on = { profileId, cid }
  await rpc.recordings.configure({ ...on, needRecord: true, format: 'mp4', duration: 5, filename: 'Left' })
  const began = Date.now()
  push((await rpc.push.copy({ ...on, part: 'url' })).text ?? '')
  await untilKept(rig.page, cid)
  // On air: the push ends with the channel, and its file is finished.
  expect((await rpc.channels.remove({ profileId, cids: [cid] })).results).toEqual([{ cid, ok: true, code: 200 }])
  const asked = {
    profileId,
    beginTime: began - 60_000,
    endTime: Date.now() + 60_000,
    deletedOnly: true,
    limit: 100,
    before: null,
  }
  const [file] = await until('the file', async () => {
    const { files } = await rpc.recordings.all(asked)
    return files.length > 0 ? files : undefined
  })
  expect(file).toMatchObject({ cid, channel: 'shortlived', deleted: true, format: 'mp4', merged: false })
  const { vid, begin, bytes } = file!
  expect(await rpc.recordings.deletedChannels({ profileId })).toMatchObject([{ cid, name: 'shortlived' }])
  expect(
    (
      await rpc.recordings.list({ profileId, cids: [cid], beginTime: asked.beginTime, endTime: asked.endTime })
    ).files.map((each) => each.vid),
  ).toEqual([vid])
  expect(await rpc.recordings.all({ ...asked, before: { begin: begin!, vid } })).toEqual({ files: [], more: false })
  const whole = await ask((await rpc.recordings.ticket({ profileId, vid })).path)
  expect([whole.status, whole.body.length]).toEqual([200, bytes])
  expect(await rpc.recordings.remove({ profileId, vids: [vid] })).toEqual({ removed: [vid] })
  expect((await rpc.recordings.all(asked)).files).toEqual([])
  expect(await rpc.recordings.deletedChannels({ profileId })).toEqual([])
  expect((await failureOf(rpc.recordings.all({ ...asked, profileId: 'other' }))).kind).toBe('absent')
})

it('keeps everything until a limit is set, and passes the limits on', async () => {
  const { rpc } = rig.page
  const profileId = 'local'
  expect(await rpc.recordings.retention({ profileId })).toEqual({ days: 0, gigabytes: 0 })
  expect(await rpc.recordings.setRetention({ profileId, days: 30, gigabytes: 500 })).toEqual({
    days: 30,
    gigabytes: 500,
  })
  expect(await rpc.recordings.retention({ profileId })).toEqual({ days: 30, gigabytes: 500 })
  expect(await rpc.recordings.setRetention({ profileId, days: 0, gigabytes: 0 })).toEqual({ days: 0, gigabytes: 0 })
  expect((await failureOf(rpc.recordings.retention({ profileId: 'other' }))).kind).toBe('absent')
})

it('tells of which file a callback is, and how many wait', async () => {
  const { rpc } = rig.page
  const profileId = 'local'
  const { cid } = await rpc.channels.create({ profileId, name: 'told' })
  await rpc.recordings.configure({ profileId, cid, needRecord: true, format: 'flv', duration: 5, filename: 'Told' })
  // Nobody listens there, so that the message waits.
  await rpc.receivers.register({ profileId, url: 'http://127.0.0.1:9/' })
  push((await rpc.push.copy({ profileId, cid, part: 'url' })).text ?? '')
  await untilKept(rig.page, cid)
  encoder?.kill('SIGINT')
  const { vid } = await until('the file', () => rig.page.newest('recorded', (event) => event.cid === cid))
  const { list, waiting } = await until('an attempt', async () => {
    const told = await rpc.recordings.callbacks({ profileId, limit: 10 })
    return told.list[0]?.attempts ? told : undefined
  })
  expect(list).toMatchObject([{ vid, state: 'waiting', result: { code: 'refused', params: {} } }])
  expect(waiting).toBe(1)
})
