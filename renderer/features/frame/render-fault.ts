/** Where Vue was when it caught something: the last part of the address in a built page, words in development. See ErrorCodes of @vue/runtime-core. */
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

/** Whether what was caught keeps a component from being shown, by what Vue says about it. */
export const isRenderFault = (info: string): boolean => kinds.has(info.replace(/^.*#runtime-/, ''))
