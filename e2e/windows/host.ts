import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { startEncoder } from '../encoder.ts'

const run = promisify(execFile)

/** What the scenarios under Wine have done outside of it, with the real programs of this system. */
export interface Host {
  readonly url: string
  close(): Promise<void>
}

/** What ffprobe counts in a file: packets that can be decoded, by kind of stream, and the length in seconds. */
export interface Probe {
  readonly frames: Readonly<Record<string, number>>
  readonly duration: number
  readonly complaints: string
}

async function probe(file: string): Promise<Probe> {
  const args = ['-v', 'warning', '-count_frames', '-show_entries', 'format=duration:stream=codec_type,nb_read_frames', '-of', 'json', file]
  const { stdout, stderr } = await run('ffprobe', args)
  const { streams, format } = JSON.parse(stdout) as { streams: { codec_type: string; nb_read_frames: string }[]; format: { duration: string } }
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

/** Answers on loopback: `/push` publishes a real encode for some seconds, `/probe` looks at a file on drive C. */
export async function startHost(drive: string): Promise<Host> {
  const encoders = new Set<ReturnType<typeof startEncoder>>()
  const outside = (file: string): string => path.join(drive, ...file.replace(/^(\\\\\?\\)?C:\\/i, '').split('\\'))
  const work: Record<string, (body: Record<string, unknown>) => Promise<object>> = {
    '/push': async ({ url, seconds }) => {
      const encoder = startEncoder(String(url), { gopSeconds: 1, seconds: Number(seconds) })
      encoders.add(encoder)
      await encoder.exited
      encoders.delete(encoder)
      const { exitCode } = encoder.process
      if (exitCode !== 0) throw new Error(`ffmpeg ended with ${exitCode}: ${encoder.log()}`)
      return {}
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
      await Promise.all([...encoders].map((encoder) => encoder.stop('SIGKILL')))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
