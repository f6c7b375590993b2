/** Makes ids of requests: a prefix of the process, then a count. They are in log lines and in answers of status 500. */
export function createRequestIds(random: (bytes: number) => Buffer): () => string {
  const prefix = random(4).toString('hex')
  let count = 0
  return () => `${prefix}-${(++count).toString(36)}`
}
