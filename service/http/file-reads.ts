import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isLoopbackGroup } from '../../platform/address-group.ts'
import type { DescriptorShare } from '../../platform/descriptors.ts'
import { createGroupPlaces } from '../../platform/group-places.ts'
import { rangeReply } from './range-reply.ts'
import { plainFailure } from './listener.ts'

/** A link in the place of a file leads elsewhere: it is not followed. Systems without the flag have no such links of ordinary users. */
const readOnly = constants.O_RDONLY | ((constants as { readonly O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0)
/** Files that are read at once for one address, and for this computer. */
const perAddress = 64
const perLoopback = 256

/** Answers requests with files. Each takes a descriptor besides its connection's until the answer has ended. */
export interface FileReads {
  /** Answers with a file, or with the range of it that is wanted; 404 for no such file, 503 when too many are being read. */
  answer(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<FastifyReply>
}

/** What the reads are bounded by. */
export interface FileReadBounds {
  readonly descriptors: DescriptorShare
  /** Learns of every request that was turned away. */
  readonly refused: (why: string) => void
}

/** Makes the reads of a service, over all its listeners. */
export function createFileReads({ descriptors, refused }: FileReadBounds): FileReads {
  const places = createGroupPlaces((group) => (isLoopbackGroup(group) ? perLoopback : perAddress))

  /** Takes a place for a reader of a group; undefined when there is none, else what gives it back. */
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
  return {
    async answer(request, reply, path, headers) {
      const end = enter(request.client.subnet)
      if (!end) {
        refused('files')
        return reply
          .code(503)
          .headers({ 'content-type': 'application/json; charset=utf-8', 'retry-after': 1 })
          .send(plainFailure(503, 'too many files are being read'))
      }
      let handle: FileHandle | undefined
      let isStreaming = false
      try {
        handle = await open(path, readOnly).catch(() => undefined)
        if (!handle) {
          reply.callNotFound()
          return reply
        }
        const { size } = await handle.stat()
        const range = rangeReply(request, reply.headers(headers), size)
        if (!range) return reply.send('')
        const { from, to } = range
        reply.header('content-length', to - from + 1)
        if (request.method === 'HEAD' || size === 0) return reply.send(null)
        const stream = handle.createReadStream({ start: from, end: to })
        // The stream closes the file, also when its answer is cut off.
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
