import type { Fields, ParametersOf } from '../../contract/field.ts'
import { messageOptions, notificationOptions } from '../../contract/operations/messages.ts'
import { readParameters } from '../../contract/validate.ts'
import { Refused } from '../refusal.ts'

/** Message options with defaults (2-messaging Message option). */
export type MessageOptions = ParametersOf<typeof messageOptions>
/** Options of a system notification. */
export type NotificationOptions = ParametersOf<typeof notificationOptions>

const cut = <F extends Fields>(fields: F) => {
  const read = (given: unknown): ParametersOf<F> => {
    const reading = readParameters({ parameters: fields, invalid: 414, encoding: 'json' }, given)
    if (!reading.ok) throw new Refused(414, `option: ${reading.refusal.reason}`)
    return reading.value as ParametersOf<F>
  }
  const defaults = read({})
  return (option: string | undefined): ParametersOf<F> => (option === undefined ? defaults : read(JSON.parse(option)))
}

/** Parses the `option` of a message; `Refused` 414 for a value that is not boolean. */
export const readMessageOptions: (option: string | undefined) => MessageOptions = cut(messageOptions)
/** Parses the `option` of a system notification; `Refused` 414 for a value that is not boolean. */
export const readNotificationOptions: (option: string | undefined) => NotificationOptions = cut(notificationOptions)
