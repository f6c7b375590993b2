/** A file of words with one language of it (`words-plugin.ts`). */
declare module '*.ts?en' {
  export const words: object
}
declare module '*.ts?zh' {
  export const words: object
}
