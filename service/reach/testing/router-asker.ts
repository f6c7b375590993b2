import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { manualClock } from '../../../platform/testing/manual-clock.ts'
import { silentLog } from '../../log.ts'
import { createPortMapping, type MappingState } from '../port-mapping.ts'
import { askRouterInThread } from '../router-thread.ts'
import type { DeviceMode, DeviceNews } from './router-device.ts'

/** What came of one question, and what it cost. */
export interface Asked {
  readonly state: MappingState | undefined
  readonly ms: number
  /** Most by which the resident memory grew, until the device was left too; MB. */
  readonly grownMb: number
  /** Threads of this process when it was answered, and after each renewal. */
  readonly threads: readonly number[]
  readonly news: readonly DeviceNews[]
}
/** What the network of a question is like. */
export interface Question {
  /** The default router. */
  readonly mode: DeviceMode
  readonly isNoisy: boolean
  /** Other devices. */
  readonly others?: readonly DeviceMode[]
  /** How often it is renewed. */
  readonly renewals?: number
}

/**
 * A program: asks one router after the other to forward a port, as the service does, and writes what came of it as a
 * line of JSON. Argument: the questions as JSON. It is run in a network namespace of its own.
 */
const [given] = process.argv.slice(2) as [string]
/** Networks of this computer and its devices, one for each. */
const places = [77, 78, 79].map((net, index) => ({
  own: `192.168.${net}.1`,
  address: `192.168.${net}.2`,
  cable: `lan${index}`,
  named: `198.51.100.${7 + index}`,
}))
const port = 8443
const threadsNow = (): number => readdirSync('/proc/self/task').length
const memory = (): number => process.memoryUsage.rss() / 1e6
/** Growth at which nothing more is waited for; MB. */
const tooMuch = 400

const ip = (words: string): void => void execFileSync('ip', words.split(' '))
/** A device in a network namespace of its own, which gets the other end of a cable to this one. */
function connected({ mode, isNoisy, index }: { mode: DeviceMode; isNoisy: boolean; index: number }): ChildProcess {
  const { own, address, cable, named } = places[index]!
  const program = join(import.meta.dirname, 'router-device.ts')
  const words = ['-n', process.execPath, program, mode, address, isNoisy ? 'noisy' : 'quiet', named]
  const device = spawn('unshare', words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  device.once('message', () => {
    ip('link set lo up')
    ip(`link add ${cable} type veth peer name far netns ${device.pid}`)
    ip(`address add ${own}/24 dev ${cable}`)
    ip(`link set ${cable} up`)
    device.send('connected')
    if (index === 0) ip(`route add default via ${address}`)
  })
  return device
}

async function ask({ mode, isNoisy, others = [], renewals = 0 }: Question): Promise<Asked> {
  const devices = [mode, ...others].map((each, index) => connected({ mode: each, isNoisy, index }))
  const news: DeviceNews[] = []
  for (const [index, device] of devices.entries())
    device.on('message', (message) => void news.push({ ...(message as DeviceNews), device: index }))
  const seen = async (kind: DeviceNews['kind'], times = 1): Promise<void> => {
    while (news.filter((each) => each.kind === kind).length < times && memory() - before < tooMuch)
      await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const before = memory()
  await seen('listens', devices.length)
  let most = before
  const watch = setInterval(() => (most = Math.max(most, memory())), 20)
  const begun = performance.now()
  const clock = manualClock()
  const mapping = createPortMapping({
    clock,
    log: silentLog,
    changed: () => undefined,
    ask: askRouterInThread,
  })
  await mapping.set(port)
  const ms = performance.now() - begun
  const threads = [threadsNow()]
  while (threads.length <= renewals) {
    clock.advance(20 * 60_000)
    await mapping.set(port)
    threads.push(threadsNow())
  }
  const { state } = mapping
  if (mode === 'endless' || mode === 'trickle') await seen('left')
  await mapping.close()
  clearInterval(watch)
  for (const device of devices) device.kill('SIGKILL')
  // A cable goes with the namespace at its other end.
  while (places.some(({ cable }) => networkInterfaces()[cable])) await new Promise((resolve) => setTimeout(resolve, 20))
  return { state, ms, grownMb: most - before, threads, news }
}

const asked: Asked[] = []
for (const question of JSON.parse(given) as Question[]) asked.push(await ask(question))
process.stdout.write(`${JSON.stringify(asked)}\n`)
