import type { Amf0Value } from '../media/amf0.ts'
import { readAmf0 } from '../media/amf0-reader.ts'
import { strangerBounds } from '../media/rtmp-chunk-reader.ts'
import { RtmpFault } from '../media/rtmp-message.ts'
import { encoderName } from './ingest-publisher.ts'

/** Longest connect command; bytes. */
export const maxConnect = 16 * 1024

/** A command as sent by the peer (RTMP 1.0, 7.2). */
export interface RtmpCommand {
  readonly name: Amf0Value
  /** 0 if it is not a number. */
  readonly transaction: number
  readonly subject: Amf0Value
  readonly values: readonly Amf0Value[]
}

/** Reads the body of a command message. */
export function readCommand(body: Buffer): RtmpCommand {
  if (body.length > strangerBounds.message) throw new RtmpFault('a command over the limit')
  const [name, transaction, subject, ...values] = readAmf0(body)
  return { name, transaction: typeof transaction === 'number' ? transaction : 0, subject, values }
}

/** What connect tells of the peer; texts are empty where they are missing. */
export type ConnectSource = ReturnType<typeof readConnect>

/** Reads the command object of connect. */
export function readConnect(subject: Amf0Value) {
  const member = (name: string): string => {
    const value =
      typeof subject === 'object' && subject !== null && Object.hasOwn(subject, name)
        ? (subject as Record<string, Amf0Value>)[name]
        : undefined
    return typeof value === 'string' ? value : ''
  }
  return { app: member('app'), tcUrl: member('tcUrl'), encoder: encoderName(member('flashVer')) }
}

/** Whether the application of connect is the only one there is. */
export const isLive = (app: string): boolean => /^live(?:[/?\\%]|$)/.test(app)
