/** The path of the recordings on this computer, of a channel or a file (service/recording/recording-folder.ts). */
export function recordedPath(
  dataFolder: string,
  cid?: string,
  file?: { readonly vid: number; readonly format: string | null },
): string {
  const separator = dataFolder.includes('\\') ? '\\' : '/'
  const parts = [
    dataFolder.replace(/[\\/]$/, ''),
    'recordings',
    ...(cid === undefined ? [] : [cid]),
    ...(file === undefined || file.format === null ? [] : [`${file.vid}.${file.format}`]),
  ]
  return parts.join(separator)
}
