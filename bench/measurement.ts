import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Middle value; of an even number the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length === 0
    ? NaN
    : sorted.length % 2 === 1
      ? sorted[middle]!
      : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Value below which a share of the values lies. */
export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN

/** CPU time used so far in s (all threads, to the microsecond where the kernel keeps it) and resident memory in MB, from /proc. */
export function processFigures(pid: number): { readonly cpu: number; readonly memory: number } {
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { cpu: cpuSeconds(pid), memory: Number(resident) / 1000 }
}

function cpuSeconds(pid: number): number {
  // Ticks of 10 ms are too coarse for a server that sleeps most of the time.
  if (existsSync(`/proc/${pid}/schedstat`))
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
      0,
    )
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A process and all that it started. */
export function processFamily(pid: number): readonly number[] {
  const pids = [pid]
  for (const each of pids)
    for (const thread of readdirSync(`/proc/${each}/task`))
      pids.push(...readFileSync(`/proc/${each}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number))
  return pids
}

/** A folder of its own below the system's temporary one. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'sidestage-bench-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Waits until something answers on a port of this computer. */
export async function portOpen(port: number, limit = 10_000): Promise<void> {
  const deadline = Date.now() + limit
  for (;;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      const done = (found: boolean): void => {
        socket.destroy()
        resolve(found)
      }
      socket.once('connect', () => done(true))
      socket.once('error', () => done(false))
    })
    if (open) return
    if (Date.now() > deadline) throw new Error(`nothing listens on port ${port}`)
    await pause(50)
  }
}

/** A pause in a measurement; ms. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The stream measured: 1280x720, 30 frames a second, key frame every 2 s, 3.7 Mbit/s with its sound or as given. Encoded once and kept in the temporary folder. */
export function streamFixture(kbps: number = 3700): string {
  const folder = join(tmpdir(), 'sidestage-bench-fixture')
  const path = join(folder, `stream-${kbps}k.flv`)
  if (existsSync(path)) return path
  mkdirSync(folder, { recursive: true })
  const partial = join(folder, `partial-${process.pid}.flv`)
  const video = kbps - 130
  const encode = `-y -v error -f lavfi -i testsrc2=size=1280x720:rate=30,noise=alls=20:allf=t -f lavfi -i sine=frequency=440:sample_rate=44100 -t 20 -c:v libx264 -preset ultrafast -pix_fmt yuv420p -bf 0 -g 60 -keyint_min 60 -sc_threshold 0 -b:v ${video}k -minrate ${video}k -maxrate ${video}k -bufsize ${video / 2}k -x264-params nal-hrd=cbr -c:a aac -b:a 128k -f flv`
  execFileSync('ffmpeg', [...encode.split(' '), partial])
  renameSync(partial, path)
  return path
}

/** Publishes a file over and over at its own speed. */
export function startPublisher(file: string, pushUrl: string): ChildProcess {
  return spawn('ffmpeg', ['-v', 'error', '-re', '-stream_loop', '-1', '-i', file, '-c', 'copy', '-f', 'flv', pushUrl], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** Ends a child and waits for it; a second of grace, then by force. */
export async function stopChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const over = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await over
  clearTimeout(timer)
}

/** JSON lines of a child's standard output, one after the other. */
export async function* jsonLines(child: ChildProcess): AsyncGenerator<Record<string, unknown>> {
  let rest = ''
  for await (const chunk of child.stdout ?? []) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('{')) yield JSON.parse(line) as Record<string, unknown>
  }
}

/** Prints rows of equal keys as a table with aligned columns. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const names = Object.keys(rows[0] ?? {})
  const text = [names, ...rows.map((row) => names.map((name) => String(row[name])))]
  const widths = names.map((_, column) => Math.max(...text.map((cells) => cells[column]!.length)))
  for (const cells of text)
    console.log(
      cells
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
}
