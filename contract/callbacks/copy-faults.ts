/** What is wrong with a message copy, in the words of the receiver (contract/rpc, ReceivedCopy). */
export const copyFaults = {
  digest: 'MD5 is missing or is not that of the body',
  time: 'CurTime is missing or is no time in ms',
  checkSum: 'CheckSum is not right: another AppSecret, or the message was changed',
  body: 'The body is not an object of plain values',
  kind: 'The eventType is not known',
} as const
