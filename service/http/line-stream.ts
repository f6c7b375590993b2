import type { FastifyReply } from 'fastify'

/** Where an endless answer writes its lines. */
export interface LineSink {
  /** Writes one value as a line. A reader that lets more than 1 MiB pile up is disconnected. */
  write(value: object): void
  /** Ends the answer. */
  end(): void
}

/** Bytes that may wait for a reader. */
const waitingLimit = 1024 * 1024

/** Takes over a reply and answers JSON lines until the reader goes; `begin` gets the sink and gives what ends it. When it throws, the reply is untouched. */
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
  })
  response.flushHeaders()
  for (const line of early) response.write(line)
  if (response.destroyed) end()
  return reply
}
