import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:tls'
import { connect as connectTcp } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { encodeFixture, requireEncoder, temporaryFolder } from '../hub/testing/fixture.ts'
import { createHandshakeRate } from '../../platform/handshake-rate.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { listenOn } from '../../platform/listen.ts'
import { startTestServer, type TestServer } from '../ingest/testing/rtmp-test-server.ts'
import { until } from '../testing/condition.ts'
import { startService, type TestService } from '../testing/start-service.ts'
import { certificateFiles, selfSigned } from './testing/certificates.ts'

await requireEncoder()

describe('RTMP over TLS', () => {
  const folder = temporaryFolder()
  const certificate = certificateFiles()
  const children = new Set<ChildProcess>()
  const logged: string[] = []
  let running: TestService
  let file = ''
  let port = 0
  let rtmp: TestServer | undefined

  beforeAll(async () => {
    file = await encodeFixture(folder.path, 'push', { duration: 4, gop: 30 })
    certificate.write(await selfSigned(['127.0.0.1']))
    const { certificateFile, keyFile } = certificate
    const note = (level: string) => (_fields: object, sentence: string) => void logged.push(`${level}: ${sentence}`)
    const log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') }
    running = await startService({ tls: { certificateFile, keyFile }, rtmpsPort: 0, httpsPort: 0, log })
    const { ret } = await running.call(local.reach, {})
    port = ret!.doors.find(({ name, tls }) => name === 'rtmp' && tls)!.port
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await rtmp?.close()
    await running.close()
    certificate.remove()
    folder.remove()
  })
  const ffmpeg = (...args: string[]): ChildProcess => {
    const child = spawn('ffmpeg', ['-v', 'error', ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    children.add(child)
    return child
  }

  it('takes a push and gives it to a player', async () => {
    const { ret } = await running.call(live.create, { name: 'secure', type: 0 })
    const secure = (url: string): string => url.replace(/^rtmp:\/\/[^/]+/, `rtmps://127.0.0.1:${port}`)
    const events = await running.events()
    ffmpeg('-re', '-stream_loop', '-1', '-i', file, '-c', 'copy', '-f', 'flv', secure(ret!.pushUrl))
    await events.next('push', ({ kind }) => kind === 'firstKeyFrame')
    const player = ffmpeg('-i', secure(ret!.rtmpPullUrl), '-t', '1', '-c', 'copy', '-f', 'null', '-')
    expect(await once(player, 'close')).toEqual([0, null])
    // The door is bound to all addresses, where the system writes an IPv4 address as a mapped one.
    ffmpeg('-i', file, '-c', 'copy', '-f', 'flv', secure(ret!.pushUrl).replace(/wsSecret=[0-9a-f]/, 'wsSecret=x'))
    expect(await events.next('push', ({ kind }) => kind === 'refused')).toMatchObject({ from: '127.0.0.1' })
    events.close()
  })

  it('of a connection that brings no RTMP only the debug log has a line, without TLS every log', async () => {
    const about = (): string[] => logged.filter((line) => line.includes('an RTMP peer was disconnected'))
    // As `openssl s_client` does, with nothing and with an empty line.
    for (const sent of ['', '\n']) {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      socket
        .on('error', () => undefined)
        .resume()
        .end(sent)
      await once(socket, 'close')
    }
    await until('the line', () => about().length > 0)
    expect(about()).toEqual(['debug: an RTMP peer was disconnected'])
    const plain = connectTcp(Number(new URL(running.service.ready.rtmpUrl).port), '127.0.0.1')
    plain
      .on('error', () => undefined)
      .resume()
      .end('\x16\x03\x01')
    await once(plain, 'close')
    await until('the second line', () => about().length > 1)
    expect(about()[1]).toBe('info: an RTMP peer was disconnected')
  })

  it('resets an address that begins too many handshakes', async () => {
    const { cert, key } = await selfSigned(['127.0.0.1'])
    const handshakes = createHandshakeRate({
      clock: manualClock(),
      rate: { perSecond: 1, atOnce: 2 },
      isFree: () => false,
    })
    const server = (rtmp = await startTestServer({ handshakes })).server.further({ cert, key })
    const used = await listenOn(server, '127.0.0.1', 0)
    const shake = async (): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port: used, rejectUnauthorized: false })
      const outcome = await once(socket, 'secureConnect').then(
        () => 'shaken',
        () => 'reset',
      )
      socket.destroy()
      return outcome
    }
    expect([await shake(), await shake(), await shake()]).toEqual(['shaken', 'shaken', 'reset'])
    server.close()
  })

  it('is no target of its own service, nor is its HTTPS, whatever loopback is called', async () => {
    const { cid } = (await running.call(live.create, { name: 'circle', type: 0 })).ret!
    const { ret } = await running.call(local.reach, {})
    expect(ret!.doors.map(({ name }) => name).sort()).toEqual(['media', 'rtmp'])
    for (const door of ret!.doors)
      for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
        const target = { cid, name: 'loop', url: `rtmps://${host}:${door.port}/live`, key: 'x' }
        const added = await running.call(local.addTarget, target)
        expect([added.code, added.msg], `${door.name} ${host}`).toEqual([631, expect.stringContaining('this service')])
      }
  })

  it('answers the handshake of RTMP, and nobody who speaks without TLS', async () => {
    const secure = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(secure, 'secureConnect')
    secure.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]))
    const [first] = (await once(secure, 'data')) as [Buffer]
    expect(first[0]).toBe(3)
    secure.destroy()
    const plain = connectTcp(port, '127.0.0.1')
    plain.on('error', () => undefined)
    const ended = once(plain, 'close')
    plain.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)]))
    await ended
  })
})
