import type { FastifyReply } from 'fastify'
import { requestIdHeader } from './request-ids.ts'

/** Receives the lines of an endless answer. */
export interface LineSink {
  /** Writes a value as a line. A reader with more than 1 MiB pending is disconnected. */
  write(value: object): void
  end(): void
}

/** Pending bytes per reader. */
const waitingLimit = 1024 * 1024

/** Sends JSON lines until the reader disconnects; if `begin` throws, the reply is untouched. */
export async function openLineStream(
  reply: FastifyReply,
  begin: (sink: LineSink) => (() => void) | Promise<() => void>,
): Promise<FastifyReply> {
  const response = reply.raw
  let opened = false
  const early: string[] = []
  const end = await begin({
    write(value) {
      const line = `${JSON.stringify(value)}\n`
      if (!opened) early.push(line)
      else if (response.destroyed || response.writableEnded) return
      else if (response.writableLength > waitingLimit) response.destroy()
      else response.write(line)
    },
    end: () => void response.end(),
  })
  opened = true
  reply.hijack()
  response.once('close', end)
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    [requestIdHeader]: reply.request.id,
  })
  response.flushHeaders()
  for (const line of early) response.write(line)
  if (response.destroyed) end()
  return reply
}
