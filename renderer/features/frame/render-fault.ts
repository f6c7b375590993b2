/** Places of faults by Vue's ErrorCodes: the end of the address in a built page, words in development. */
const kinds: ReadonlySet<string> = new Set([
  '0',
  '1',
  '13',
  '15',
  'setup function',
  'render function',
  'async component loader',
  'component update',
])

/** Whether a fault, by Vue's place of it, keeps a component from being shown. */
export const isRenderFault = (info: string): boolean => kinds.has(info.replace(/^.*#runtime-/, ''))
