import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import OBSWebSocket from 'obs-websocket-js'
import type { ServiceReady } from '../../contract/service-process.ts'
import { ensureDebianPackages, obsPackages } from '../../scripts/debian-packages.ts'
import { encodeFixture } from '../../service/hub/testing/fixture.ts'
import { accessUnits, isPartOf } from '../../service/targets/testing/access-units.ts'
import { startNginxTarget } from '../../service/targets/testing/nginx-target.ts'
import { startCommand } from '../command.ts'
import { signedCall } from '../signed-call.ts'
import { freePort, prepareObs } from './obs-program.ts'

/**
 * `npm run e2e:obs`: a real OBS under Xvfb pushes to the stand-alone service with the Server and Key a streamer would
 * paste, and ffprobe reads the picture back by HTTP-FLV, HLS and RTMP. The push goes on to nginx as a target: what it
 * records, what a player got and what the service recorded have the identical access units.
 */
if (!ensureDebianPackages(obsPackages)) process.exit(1)

/** Retries until `attempt` gives a value; for waiting on a process that is starting. */
async function until<T>(what: string, seconds: number, attempt: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  let last: unknown
  while (Date.now() < deadline) {
    try {
      const value = await attempt()
      if (value !== undefined) return value
    } catch (error) {
      last = error
    }
    await pause(200)
  }
  throw new Error(`${what} did not come within ${seconds} s`, { cause: last })
}

const home = mkdtempSync(join(tmpdir(), 'sidestage-obs-'))
const port = await freePort()
const password = 'only-for-this-run'
const program = await prepareObs({ home, port, password })

const credentials = { appKey: 'e2e-obs', appSecret: 'made-for-this-run-only' }
const service = await startCommand<ServiceReady>(
  ['service/main.ts', '--data', join(home, 'data'), '--api-port', '0', '--media-port', '0', '--rtmp-port', '0'],
  { ...process.env, SIDESTAGE_APP_KEY: credentials.appKey, SIDESTAGE_APP_SECRET: credentials.appSecret },
)
const call = (path: string, body: object) => signedCall(service.ready.baseUrl, credentials, path, body)
const target = await startNginxTarget()
const targetKey = 'key-of-a-target-of-obs'
// A moving picture with sound: what stands still has many units that are alike.
const moving = await encodeFixture(home, 'moving', { duration: 10, size: '640x360' })
program.start()
const obs = new OBSWebSocket()
try {
  const created = await call('/app/channel/create', { name: 'From_OBS' })
  const { cid, pushUrl, httpPullUrl, hlsPullUrl, rtmpPullUrl } = created.ret as Record<
    'cid' | 'pushUrl' | 'httpPullUrl' | 'hlsPullUrl' | 'rtmpPullUrl',
    string
  >
  await call('/local/target/add', { cid, name: 'nginx', url: target.rtmpUrl, key: targetKey, start: 'push' })
  await call('/app/channel/setAlwaysRecord', { cid, needRecord: 1, format: 1, duration: 120, filename: 'obs' })
  const at = pushUrl.lastIndexOf('/')
  await until('OBS', 60, async () => obs.connect(`ws://127.0.0.1:${port}`, password))
  await obs.call('SetStreamServiceSettings', {
    streamServiceType: 'rtmp_custom',
    streamServiceSettings: { server: pushUrl.slice(0, at), key: pushUrl.slice(at + 1) },
  })
  const { scenes } = await obs.call('GetSceneList')
  await obs.call('CreateInput', {
    sceneName: scenes[0]?.['sceneName'] as string,
    inputName: 'Picture',
    inputKind: 'ffmpeg_source',
    inputSettings: { local_file: moving, looping: true },
  })
  const clicked = Date.now()
  await obs.call('StartStream')
  await until('the live tally', 30, async () =>
    (await call('/app/channelstats', { cid })).ret?.['status'] === 3 ? true : undefined,
  )
  const live = Date.now() - clicked
  const player = fetch(httpPullUrl).then(async (answer) => Buffer.from(await answer.arrayBuffer()))
  const read = async (url: string): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      'ffprobe',
      [
        '-v',
        'error',
        '-read_intervals',
        '%+3',
        '-count_packets',
        '-show_entries',
        'stream=codec_name,width,height,nb_read_packets',
        '-of',
        'compact',
        url,
      ],
      { timeout: 30_000 },
    )
    if (!/codec_name=h264\|width=640\|height=360/.test(stdout) || !/codec_name=aac/.test(stdout))
      throw new Error(`${url} gave ${stdout}`)
    return stdout.trim().replaceAll('\n', '; ')
  }
  const readings = {
    flv: await read(httpPullUrl),
    rtmp: await read(rtmpPullUrl),
    hls: await until('HLS', 20, async () => read(hlsPullUrl)),
  }
  await until('the recording of the target', 60, async () =>
    (target.recorded(targetKey)?.length ?? 0) > 1_000_000 ? true : undefined,
  )
  const status = await obs.call('GetStreamStatus')
  await obs.call('StopStream')
  await until('the idle tally', 10, async () =>
    (await call('/app/channelstats', { cid })).ret?.['status'] === 0 ? true : undefined,
  )
  const file = await until('the own recording', 20, async () => globSync(join(home, 'data/**/*.flv'))[0])
  const whole = accessUnits(readFileSync(file))
  const units = {
    target: accessUnits(target.recorded(targetKey)!),
    player: accessUnits(await player),
  }
  for (const [name, part] of Object.entries(units))
    for (const track of ['video', 'audio']) {
      const of = (all: readonly string[]): string[] => all.filter((unit) => unit.startsWith(track))
      if (of(part).length < 100) throw new Error(`the ${name} has ${of(part).length} units of ${track}`)
      if (!isPartOf(of(part), of(whole))) throw new Error(`the ${name} has other units of ${track} than the recording`)
    }
  if (target.publishes(targetKey) !== 1) throw new Error('the target was published to again')
  console.log(
    JSON.stringify(
      {
        identicalUnits: { target: units.target.length, player: units.player.length, recording: whole.length },
        liveAfterMs: live,
        framesSent: status.outputTotalFrames,
        framesSkipped: status.outputSkippedFrames,
        ...readings,
      },
      null,
      2,
    ),
  )
  console.log('1 passed, 0 failed')
} catch (error) {
  console.error(error, service.log())
  console.log('0 passed, 1 failed')
  process.exitCode = 1
} finally {
  await obs.disconnect().catch(() => undefined)
  await program.end()
  await service.stop()
  await target.stop()
  rmSync(home, { recursive: true, force: true })
}
