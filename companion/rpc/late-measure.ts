import { MeasureCall } from '../../contract/rpc/index.ts'
import { mayCall } from './seat-gate.ts'
import type { ConnectedSeat } from '../lines/connected-seat.ts'

/** Late measures logged per page. */
export const maxLate = 8

/** The measure of a message after its page was ended; undefined for others. */
export function lateMeasure(text: string, seat: ConnectedSeat): MeasureCall | undefined {
  const { p: content } = JSON.parse(text) as {
    readonly p?: { readonly u?: unknown; readonly b?: { readonly json?: unknown } }
  }
  if (content?.u !== '/rooms/act') return undefined
  const { success, data } = MeasureCall.safeParse(content.b?.json)
  return success && mayCall(seat, ['rooms', 'act'], data) ? data : undefined
}
