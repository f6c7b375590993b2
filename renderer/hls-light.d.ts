/** The light build has the full build's interface without its own types. */
declare module 'hls.js/light' {
  import Hls from 'hls.js'

  export * from 'hls.js'
  export default Hls
}
