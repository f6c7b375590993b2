import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What the scenarios under Wine have done outside of it, with the real programs of this system. */
export interface Host {
  readonly url: string
  close(): Promise<void>
}

/** What ffprobe counts in a file: frames that can be decoded, by kind of stream, and the length in seconds. */
export interface Probe {
  readonly frames: Readonly<Record<string, number>>
  readonly duration: number
  readonly complaints: string
}

async function probe(file: string): Promise<Probe> {
  const args = [
    '-v',
    'warning',
    '-count_frames',
    '-show_entries',
    'format=duration:stream=codec_type,nb_read_frames',
    '-of',
    'json',
    file,
  ]
  const { stdout, stderr } = await run('ffprobe', args)
  const { streams, format } = JSON.parse(stdout) as {
    streams: { codec_type: string; nb_read_frames: string }[]
    format: { duration: string }
  }
  return {
    frames: Object.fromEntries(streams.map(({ codec_type, nb_read_frames }) => [codec_type, Number(nb_read_frames)])),
    duration: Number(format.duration),
    complaints: stderr.trim(),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>
}

/** Seconds of the encode that is published over and over where no length is asked for. */
const roundSeconds = 4

/**
 * Encodes 640x360 at 30 pictures a second, a key frame in each, with AAC, into a file. Done before it is published, so that the number of
 * pictures does not depend on how much this machine has to do.
 */
async function encode(folder: string, seconds: number): Promise<string> {
  const file = path.join(folder, `encode-${seconds}.flv`)
  const inputs = ['testsrc2=size=640x360:rate=30', 'sine=frequency=440:sample_rate=48000'].flatMap((input) => [
    '-f',
    'lavfi',
    '-i',
    input,
  ])
  const video = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-tune',
    'zerolatency',
    '-pix_fmt',
    'yuv420p',
    '-g',
    '30',
    '-b:v',
    '1200k',
  ]
  await run('ffmpeg', [
    '-y',
    '-loglevel',
    'warning',
    ...inputs,
    ...video,
    '-c:a',
    'aac',
    '-b:a',
    '96k',
    '-t',
    String(seconds),
    file,
  ])
  return file
}

/**
 * Answers on loopback: `/push` publishes an encode of some seconds, in real time, and says what is in it, or one without an end until the
 * service is gone; `/probe` looks at a file on drive C. What is published is kept in `folder`.
 */
export async function startHost(drive: string, folder: string): Promise<Host> {
  const publishers = new Set<ChildProcess>()
  const encodes = new Map<number, Promise<string>>()
  const encodeOf = (seconds: number): Promise<string> => {
    const made = encodes.get(seconds) ?? encode(folder, seconds)
    encodes.set(seconds, made)
    return made
  }
  const publish = async (file: string, url: string, input: readonly string[]): Promise<void> => {
    const args = ['-hide_banner', '-loglevel', 'warning', '-re', ...input, '-i', file, '-c', 'copy', '-f', 'flv', url]
    const publisher = spawn('ffmpeg', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    publishers.add(publisher)
    let log = ''
    publisher.stderr.on('data', (text: Buffer) => (log = (log + text.toString()).slice(-20_000)))
    const [code] = (await once(publisher, 'close')) as [number | null]
    publishers.delete(publisher)
    if (code !== 0) throw new Error(`ffmpeg ended with ${code}: ${log}`)
  }
  const outside = (file: string): string => path.join(drive, ...file.replace(/^(\\\\\?\\)?C:\\/i, '').split('\\'))
  const work: Record<string, (body: Record<string, unknown>) => Promise<object>> = {
    '/push': async ({ url, seconds }) => {
      const file = await encodeOf(seconds === null ? roundSeconds : Number(seconds))
      await publish(file, String(url), seconds === null ? ['-stream_loop', '-1'] : [])
      return probe(file)
    },
    '/probe': ({ file }) => probe(outside(String(file))),
  }
  const server = createServer((request, answer) => {
    const done = async (): Promise<object> => {
      const asked = work[request.url ?? '']
      if (!asked) throw new Error(`nothing is done at ${request.url}`)
      return asked(await bodyOf(request))
    }
    done().then(
      (said) => answer.writeHead(200).end(JSON.stringify(said)),
      (error: unknown) => answer.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const publisher of publishers) publisher.kill('SIGKILL')
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
