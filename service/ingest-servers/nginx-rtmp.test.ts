import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { live, local, recordings } from '../../contract/operations/index.ts'
import { encodeFixture, probePackets, temporaryFolder } from '../hub/testing/fixture.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { until } from '../testing/condition.ts'
import { startPublisher, type Publisher } from '../testing/publisher.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { startServer, type StartedServer } from './testing/started-server.ts'

const folder = temporaryFolder()
let picture: string
let service: TestService
let nginx: StartedServer
let port: number
let encoder: Publisher | undefined
beforeAll(async () => {
  picture = await encodeFixture(folder.path, 'picture', { duration: 4, gop: 50 })
  return () => folder.remove()
})
beforeEach(async () => {
  const api = await freePort()
  port = await freePort()
  service = await startService({
    // What people are told: nginx-rtmp looks up no names.
    publicAddresses: { rtmp: 'rtmp://live.example.com' },
    hooks: {
      host: '127.0.0.1',
      port: 0,
      servers: [{ make: 'nginx-rtmp', url: `http://127.0.0.1:${api}` }],
      every: 100,
    },
  })
  nginx = await startServer(
    '/usr/sbin/nginx',
    'nginx-rtmp.conf',
    (file, at) => ['-p', at, '-c', file, '-g', 'daemon off; master_process off; user root;'],
    [
      ['http://127.0.0.1:8714/hooks', service.service.hooksUrl!],
      ['listen 1936', `listen 127.0.0.1:${port}`],
      ['listen 127.0.0.1:8713', `listen 127.0.0.1:${api}`],
      ['/var/log/nginx/rtmp.log', 'FOLDER/error.log'],
      ['/run/nginx-rtmp.pid', 'FOLDER/pid'],
    ],
    port,
  )
})
afterEach(async () => {
  encoder?.kill('SIGKILL')
  await encoder?.exited
  encoder = undefined
  await nginx.stop()
  await service.close()
})

/** Pushes to nginx as the push address says. */
const push = (pushUrl: string): Publisher => {
  const { pathname, search } = new URL(pushUrl)
  return (encoder = startPublisher(`rtmp://127.0.0.1:${port}${pathname}${search}`, picture))
}
const create = async (name: string) => (await service.call(live.create, { name, type: 0 })).ret!
const status = async (cid: string) =>
  (await service.call(local.channelDetails, { cidList: [cid] })).ret!.list[0]!.status

it('a push to nginx-rtmp is on air here, goes on over comparisons, and ends with its encoder', async () => {
  const { cid, pushUrl } = await create('relayed')
  const one = push(pushUrl)
  await until('on air', async () => (await status(cid)) === 1)
  const before = service.service.mediaPackets()
  await until('three seconds of media', () => service.service.mediaPackets() > before + 200)
  expect(await status(cid)).toBe(1)
  await one.stop()
  await until('idle', async () => (await status(cid)) === 0)
})

it('the recording of a push to nginx-rtmp is one file, and begins with the picture', async () => {
  const { cid, pushUrl } = await create('recorded')
  await service.call(recordings.setAlwaysRecord, { cid, needRecord: 1 })
  const one = push(pushUrl)
  await until('recording', async () => (await service.call(local.recordingState, { cid })).ret!.state === 'recording')
  const before = service.service.mediaPackets()
  await until('some seconds of media', () => service.service.mediaPackets() > before + 500)
  await one.stop()
  await until('idle', async () => (await status(cid)) === 0)
  const files = await until('the file is finished', async () => {
    const { list } = (await service.call(local.recordedFiles, { cid, beginTime: 0, endTime: 2 ** 53 - 1 })).ret!
    return list.length > 0 ? list : undefined
  })
  expect(files.map(({ codecs }) => codecs)).toEqual([expect.stringMatching(/^avc1.*, mp4a/)])
})

it('a push with a key of another channel is refused before its media, and told', async () => {
  const [{ cid, pushUrl }, other] = [await create('mine'), await create('other')]
  const events = await service.events()
  const one = push(pushUrl.replace(/wsSecret=[0-9a-f]+/, /wsSecret=[0-9a-f]+/.exec(other.pushUrl)![0]))
  expect(await one.exited).not.toBe(0)
  expect(await events.next('push', ({ kind }) => kind === 'refused')).toMatchObject({ cid, remedy: 'key' })
  expect(await status(cid)).toBe(0)
  events.close()
})

it('an encoder of a disabled channel is cut off at nginx too, and comes in again once it is enabled', async () => {
  const { cid, pushUrl } = await create('paused')
  const one = push(pushUrl)
  await until('on air', async () => (await status(cid)) === 1)
  await service.call(live.pause, { cid })
  await one.exited
  expect(await push(pushUrl).exited).not.toBe(0)
  await service.call(live.resume, { cid })
  push(pushUrl)
  await until('on air again', async () => (await status(cid)) === 1)
})

it('nobody watches at nginx', async () => {
  const { cid, pushUrl } = await create('watched')
  push(pushUrl)
  await until('on air', async () => (await status(cid)) === 1)
  await expect(probePackets(`rtmp://127.0.0.1:${port}/live/${cid}`)).rejects.toThrow()
})

it('no key is in its log, also of pushes that are refused, and while the service does not answer', async () => {
  const { cid, pushUrl } = await create('logged')
  const one = push(pushUrl)
  await until('on air', async () => (await status(cid)) === 1)
  await one.stop()
  expect(await push(pushUrl.replace(/wsSecret=[0-9a-f]+/, `wsSecret=${'0'.repeat(32)}`)).exited).not.toBe(0)
  await service.stop()
  expect(await push(pushUrl).exited).not.toBe(0)
  expect(nginx.log()).not.toContain('wsSecret')
})
