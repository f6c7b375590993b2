import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../testing/eventually.ts'
import { startTestServer, testKey, type TestServer } from '../ingest/testing/rtmp-test-server.ts'

const running: ChildProcess[] = []
let started: TestServer | undefined
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  await started?.close()
})

const cids = ['b', 'c', 'd', 'e'].map((letter) => letter.repeat(32))
const [longGop, lossy, mute, slow] = cids as [string, string, string, string]
const moving = (rate: number): string[] => ['-f', 'lavfi', '-i', `testsrc2=size=160x90:rate=${rate}`]
const tone = (more = ''): string[] => ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000${more}`]
const coded = (gop: number): string[] => [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-tune',
  'zerolatency',
  '-g',
  String(gop),
  '-pix_fmt',
  'yuv420p',
]
function push(server: TestServer, cid: string, ...args: string[]): void {
  const url = `rtmp://127.0.0.1:${server.port}/live/${cid}?${testKey}`
  running.push(spawn('ffmpeg', ['-nostdin', '-v', 'error', ...args, '-f', 'flv', url], { stdio: 'ignore' }))
}

test('real pushes show what is wrong with them: 8 s between key frames and no sound, lost frames, sound that ends, a sender that is too slow', async () => {
  const server = (started = await startTestServer({ cids }))
  const figures = (cid: string) => server.hub.figures(cid)
  push(server, longGop, '-re', ...moving(10), '-an', ...coded(80))
  push(
    server,
    lossy,
    '-re',
    ...moving(20),
    '-an',
    '-vf',
    "select='lt(t,3)+not(mod(n,4))'",
    '-fps_mode',
    'passthrough',
    ...coded(40),
  )
  // Without it ffmpeg delays video while it waits for audio.
  const untied = ['-max_interleave_delta', '200000']
  push(server, mute, '-re', ...moving(10), '-re', ...tone(':duration=2'), ...coded(20), '-c:a', 'aac', ...untied)
  push(server, slow, '-readrate', '0.5', ...moving(10), '-readrate', '0.5', ...tone(), ...coded(10), '-c:a', 'aac')

  await eventually(() => expect(figures(lossy)?.millifps).toBeGreaterThan(17_000))
  await eventually(() => expect(figures(lossy)?.millifps).toBeLessThan(8_000))
  expect(figures(lossy)?.millifpsDeclared).toBe(20_000)
  await eventually(() => expect(figures(longGop)?.keyFrameGapMax).toBe(8_000))
  expect(figures(longGop)).not.toHaveProperty('audioGap')
  expect(figures(longGop)).not.toHaveProperty('audioCodec')
  await eventually(() => expect(figures(mute)?.audioGap).toBeGreaterThan(4_000))
  expect(figures(mute)).toMatchObject({ audioCodec: 'AAC-LC', keyFrameGapMax: 2_000 })
  await eventually(() => expect(figures(slow)?.drift).toBeGreaterThan(3_000))
  expect(figures(slow)?.audioGap).toBeLessThan(1_000)
  await eventually(() => expect(figures(mute)?.kbpsDeviation).toBeDefined())
})
