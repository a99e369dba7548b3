/** The modules of iconv-lite that define its charsets, but for the tables of East Asian ones, which are 170 KB. */
declare module 'iconv-lite/encodings/*.js' {
  export interface Decoder {
    write(octets: Buffer): string
    /** Gives the text that is left, or 0, or nothing. */
    end(): string | 0 | undefined
  }

  export interface Codec {
    readonly decoder: new (options: object | undefined, codec: Codec) => Decoder
  }

  /** The name of another charset, the settings of a codec, or a codec. */
  export type Definition = string | { readonly type: string } | (new (settings: object, iconv: object) => Codec)

  const definitions: Readonly<Record<string, Definition>>
  export default definitions
}
