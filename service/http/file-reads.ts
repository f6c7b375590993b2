import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { rangeReply, wantedOf } from './range-reply.ts'
import { sendFailure } from './failures.ts'

/** Does not follow symbolic links. Systems without the flag do not let ordinary users create them. */
const readOnly = constants.O_RDONLY | ((constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0)
/** Concurrent reads of one address, and of this computer. */
const perAddress = 64
const perLoopback = 256

/** Its row is there: it was removed by hand, or a database was restored without its files. */
const missingFile = 'the file of this address is missing: the service lists it, and it is not where it was stored'

/** Serves files. Each read holds a descriptor until the answer ends. */
export type FileReads = ReturnType<typeof createFileReads>

/** Limits of file reads. */
export interface FileReadBounds {
  readonly descriptors: DescriptorShare
  readonly refused: (why: string) => void
}

/** A file that is not on this computer. */
export interface FarFile {
  readonly bytes: number
  /** Bytes `from` to `to`, both included; undefined when it is gone. Rejects when it cannot be read now. */
  read(from: number, to: number): Promise<Buffer | undefined>
}

/** Bytes of a far file that are read at once; more are read when these have been taken. */
const farBytes = 2 * 1024 * 1024

/** The rest of a far file behind its first bytes, a piece at a time: no connection waits for a slow reader. */
async function* piecesOf({ read }: FarFile, first: Buffer, from: number, to: number): AsyncGenerator<Buffer> {
  yield first
  for (let at = from + first.length; at <= to;) {
    const piece = await read(at, Math.min(to, at + farBytes - 1))
    if (!piece) throw new Error('the file was removed while it was read')
    yield piece
    at += piece.length
  }
}

/** Makes the file reads of a service, over all its listeners. */
export function createFileReads({ descriptors, refused }: FileReadBounds) {
  const places = createGroupPlaces((group) => (isLoopbackGroup(group) ? perLoopback : perAddress))

  const enter = (group: string): (() => void) | undefined => {
    const leave = places.enter(group)
    if (!leave) return undefined
    if (!descriptors.take()) {
      leave()
      return undefined
    }
    return () => {
      leave()
      descriptors.give()
    }
  }
  const answerFar = async (
    request: FastifyRequest,
    reply: FastifyReply,
    file: FarFile,
    headers: Readonly<Record<string, string>>,
    end: () => void,
  ): Promise<FastifyReply> => {
    let isStreaming = false
    try {
      const wanted = wantedOf(request, file.bytes)
      const { from, to } = typeof wanted === 'object' ? wanted : { from: 0, to: file.bytes - 1 }
      const isRead = wanted !== 'unsatisfiable' && request.method !== 'HEAD' && file.bytes > 0
      // Before the status: what cannot be read is told by it.
      const first = isRead && (await file.read(from, Math.min(to, from + farBytes - 1)).catch(() => 'fault' as const))
      if (first === 'fault') return sendFailure(reply, 503, 'the file cannot be read now', { 'retry-after': 5 })
      if (first === undefined) return sendFailure(reply, 404, missingFile)
      if (!rangeReply(request, reply.headers(headers), file.bytes)) return reply.send('')
      reply.header('content-length', to - from + 1)
      if (first === false) return reply.send(null)
      const stream = Readable.from(piecesOf(file, first, from, to), { objectMode: false, highWaterMark: 1 })
      isStreaming = true
      stream.once('close', end)
      return reply.send(stream)
    } finally {
      if (!isStreaming) end()
    }
  }
  return {
    /** Answers with a file or a range; 404 for no such file, 503 at the limit or when it cannot be read now. */
    async answer(
      request: FastifyRequest,
      reply: FastifyReply,
      source: string | FarFile,
      headers: Readonly<Record<string, string>>,
    ): Promise<FastifyReply> {
      const end = enter(request.client.subnet)
      if (!end) {
        refused('files')
        return sendFailure(reply, 503, 'too many files are being read', { 'retry-after': 1 })
      }
      if (typeof source !== 'string') return answerFar(request, reply, source, headers, end)
      let handle: FileHandle | undefined
      let isStreaming = false
      try {
        handle = await open(source, readOnly).catch(() => undefined)
        if (!handle) return sendFailure(reply, 404, missingFile)
        const { size } = await handle.stat()
        const range = rangeReply(request, reply.headers(headers), size)
        if (!range) return reply.send('')
        const { from, to } = range
        reply.header('content-length', to - from + 1)
        if (request.method === 'HEAD' || size === 0) return reply.send(null)
        const stream = handle.createReadStream({ start: from, end: to })
        // The stream closes the file, also when the answer is aborted.
        isStreaming = true
        stream.once('close', end)
        return reply.send(stream)
      } finally {
        if (!isStreaming) {
          await handle?.close()
          end()
        }
      }
    },
  }
}
