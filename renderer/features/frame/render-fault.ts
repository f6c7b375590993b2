/** Vue's place of a fault: the last part of the address in a built page, words in development. See ErrorCodes of @vue/runtime-core. */
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

/** Whether a fault keeps a component from being shown, by Vue's place of it. */
export const isRenderFault = (info: string): boolean => kinds.has(info.replace(/^.*#runtime-/, ''))
