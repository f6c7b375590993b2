/** Why a receiver turned a callback away, as its log says it (1-live Events, Rules 1). */
export const callbackFaults = {
  body: 'the body is not an object of plain values',
  unsigned: 'there is no sign header',
  sign: 'sign is not an MD5',
  signature: 'the signature is not right: another key, or the message was changed',
  id: 'there is no nId',
} as const
