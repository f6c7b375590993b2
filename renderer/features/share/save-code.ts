/** Saves the code of the link for everybody, named as the channel. */
export function saveCode(name: string): void {
  const svg = document.querySelector('#share-qr svg')
  if (!svg) return
  const source = new XMLSerializer().serializeToString(svg)
  const url = URL.createObjectURL(new Blob([source], { type: 'image/svg+xml' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.svg`
  link.click()
  URL.revokeObjectURL(url)
}
