import { Amf0Fault } from '../media/amf0.ts'
import { RtmpFault } from '../media/rtmp-message.ts'
import type { Log } from '../log.ts'

/** Logs why a peer was disconnected: a protocol error with its reason, our own fault as a warning with the error. */
export function logDisconnected(
  log: Pick<Log, 'info' | 'warn'>,
  remote: string,
  error: unknown,
  leftOut: object,
): void {
  const isKnown = error instanceof RtmpFault || error instanceof Amf0Fault
  log[isKnown ? 'info' : 'warn'](
    { remote, ...(isKnown ? { reason: error.message } : { err: error }), ...leftOut },
    'an RTMP peer was disconnected',
  )
}
