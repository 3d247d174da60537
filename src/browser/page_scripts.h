// What a page looks like, as facts that branding/facts.h reads: computed styles of what is seen, the colours
// that the page names, and images that may be its logo. It looks at a bounded part of a page, in the order of
// the document, and judges nothing.
#pragma once

#include <string_view>

namespace quarry::browser {

// Methods are taken from their prototypes: an element that is called "querySelectorAll" would be found in
// their place. Every part may fail by itself.
inline constexpr std::string_view branding_script = R"js(() => {
    const query = (selector, most) =>
        Array.prototype.slice.call(Document.prototype.querySelectorAll.call(document, selector), 0, most);
    const first = selector => Document.prototype.querySelector.call(document, selector);
    const closest = (element, selector) => Element.prototype.closest.call(element, selector);
    const attribute = (element, name) => Element.prototype.getAttribute.call(element, name) || '';
    const box = element => Element.prototype.getBoundingClientRect.call(element);
    const attempt = (part, otherwise) => { try { return part(); } catch { return otherwise; } };
    const root = first('html') || first('*');
    const body = first('body') || root;
    if (!root) return {};
    const number = text => { const value = parseFloat(text); return value > 0 ? value : 0; };
    const address = text => attempt(() => text ? new URL(text, root.baseURI).href : '', '');

    // Colours of other spaces as a screen shows them.
    const canvas = attempt(() => new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true}), null);
    const painted = new Map();
    const plain = color => {
        if (/^rgba?\(/.test(color)) return color;
        if (!painted.has(color)) {
            if (!canvas || painted.size > 300 || !CSS.supports('color', color)) return '';
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = color;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
            painted.set(color, 'rgba(' + [red, green, blue, alpha / 255].join(', ') + ')');
        }
        return painted.get(color);
    };
    const isClear = color => {
        const alpha = /^rgba\(.*,\s*([\d.e-]+)\)$/.exec(color);
        return !color || (alpha && +alpha[1] < 0.1);
    };

    const isShown = element => {
        const place = box(element);
        if (place.width < 1 || place.height < 1) return false;
        const style = getComputedStyle(element);
        return style.visibility === 'visible' && +style.opacity > 0.05;
    };
    const textStyle = element => {
        const style = getComputedStyle(element);
        return {color: plain(style.color), fonts: style.fontFamily.slice(0, 500), size: number(style.fontSize),
                lineHeight: number(style.lineHeight), weight: number(style.fontWeight)};
    };
    // The first that fits the first selector that any fits.
    const chosen = (selectors, fits) => attempt(() => {
        for (const selector of selectors) {
            const element = query(selector, 50).find(each => isShown(each) && fits(each));
            if (element) return element;
        }
        return null;
    }, null);
    const styleOf = (...selectors) => {
        const element = chosen(selectors, () => true);
        return element ? textStyle(element) : {};
    };
    const control = element => {
        const style = getComputedStyle(element), place = box(element);
        const hasBorder = number(style.borderTopWidth) > 0 && style.borderTopStyle !== 'none';
        return {background: plain(style.backgroundColor), color: plain(style.color),
                border: hasBorder ? plain(style.borderTopColor) : '', radius: style.borderRadius.slice(0, 60),
                shadow: style.boxShadow === 'none' ? '' : style.boxShadow.slice(0, 200),
                area: place.width * place.height};
    };

    // What covers the middle of the page, however deep it is.
    const background = attempt(() => {
        const least = innerWidth * innerHeight * 0.4;
        for (const element of Document.prototype.elementsFromPoint.call(document, innerWidth / 2, innerHeight / 2)) {
            const place = box(element), color = plain(getComputedStyle(element).backgroundColor);
            if (!isClear(color) && place.width * place.height >= least) return color;
        }
        for (const element of [body, root]) {
            const color = plain(getComputedStyle(element).backgroundColor);
            if (!isClear(color)) return color;
        }
        return getComputedStyle(root).colorScheme.trim() === 'dark' ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)';
    }, '');

    const pressable = 'button, [role=button], input[type=submit], input[type=button], a[class*=btn i], ' +
                      'a[class*=button i], a[class*=cta i]';
    const ofConsent = '[id*=cookie i], [class*=cookie i], [id*=consent i], [class*=consent i]';
    const buttonElements = attempt(() => query(pressable, 300).filter(element => {
        const words = (attribute(element, 'value') || element.textContent || '').trim();
        if (words.length < 1 || words.length > 60 || closest(element, ofConsent) || !isShown(element)) return false;
        const look = control(element);
        return !isClear(look.background) || !isClear(look.border);
    }).slice(0, 60), []);
    const buttons = attempt(() => buttonElements.map(element => {
        const words = attribute(element, 'class') + ' ' + attribute(element, 'id');
        return {...control(element),
                isAction: attribute(element, 'type') === 'submit' || /primary|cta/i.test(words)};
    }), []);
    const inputs = attempt(() => query('input:not([type]), input[type=text], input[type=email], input[type=search], ' +
        'input[type=password], input[type=tel], input[type=url], input[type=number], textarea, select', 100)
        .filter(isShown).slice(0, 20).map(control), []);

    // How many letters look how.
    const lettering = attempt(() => {
        const isButton = new Set(buttonElements), looks = new Map(), ofParent = new Map();
        const walker = Document.prototype.createTreeWalker.call(document, body, NodeFilter.SHOW_TEXT);
        for (let i = 0; i < 6000 && walker.nextNode(); ++i) {
            const letters = walker.currentNode.data.trim().length, parent = walker.currentNode.parentElement;
            if (!letters || !parent) continue;
            if (!ofParent.has(parent)) {
                let key = null;
                const link = closest(parent, 'a[href]'), pressed = closest(parent, 'button, [role=button]');
                const skip = pressed || (link && isButton.has(link)) ||
                    closest(parent, 'script, style, noscript, template, textarea, option') || !isShown(parent);
                if (!skip) {
                    const look = {...textStyle(parent), isLink: !!link,
                                  isHeading: !!closest(parent, 'h1, h2, h3, h4, h5, h6')};
                    key = JSON.stringify(look);
                    if (!looks.has(key) && looks.size < 250) looks.set(key, {...look, letters: 0});
                }
                ofParent.set(parent, key);
            }
            const look = looks.get(ofParent.get(parent));
            if (look) look.letters += letters;
        }
        return [...looks.values()];
    }, []);

    const variables = attempt(() => {
        const found = [];
        for (const [name, values] of root.computedStyleMap()) {
            if (found.length === 100) break;
            if (!/^--.*(primary|secondary|accent|brand|success|warning|error|danger)(-color)?$/i.test(name)) continue;
            let text = String(values[0]).trim().slice(0, 100);
            if (/^[\d.]+(deg)?[\s,]+[\d.]+%[\s,]+[\d.]+%$/.test(text)) text = 'hsl(' + text + ')';
            const color = plain(text);
            if (color) found.push({name: name.slice(0, 100), color});
        }
        return found;
    }, []);

    const ofHeader = 'header, nav, [role=banner], [class*=header i], [id*=header i], [class*=navbar i]';
    const leadsHome = link => attempt(() => {
        const target = new URL(link.href), here = new URL(root.baseURI);
        return target.origin === here.origin &&
            /^\/([a-z]{2}([-_][a-z]{2})?\/?)?(index\.html?)?$/i.test(target.pathname);
    }, false);
    const wordsOf = element => ['class', 'id', 'alt', 'title', 'aria-label'].map(name => attribute(element, name)).join(' ');
    const candidate = (element, url) => {
        const place = box(element), link = closest(element, 'a[href]'), parent = element.parentElement;
        return {url, inHeader: !!closest(element, ofHeader), inFooter: !!closest(element, 'footer, [class*=footer i]'),
                leadsHome: !!link && leadsHome(link),
                words: [wordsOf(element), attribute(element, 'src').slice(-120), parent ? wordsOf(parent) : '',
                        link ? wordsOf(link) : ''].join(' ').slice(0, 480),
                left: Math.max(0, place.left + scrollX), top: Math.max(0, place.top + scrollY),
                width: place.width, height: place.height};
    };
    const mayBeLogo = fact => fact.inHeader || fact.leadsHome || /logo|brand/i.test(fact.words);
    const drawn = element => attempt(() => {
        if (Element.prototype.querySelector.call(element, 'use, image, foreignObject, script')) return '';
        const copy = element.cloneNode(true), place = box(element);
        copy.setAttribute('width', place.width);
        copy.setAttribute('height', place.height);
        copy.style.color = getComputedStyle(element).color;
        const bytes = new TextEncoder().encode(new XMLSerializer().serializeToString(copy));
        return bytes.length > 30000 ? '' : 'data:image/svg+xml;base64,' + btoa(String.fromCharCode(...bytes));
    }, '');
    const logos = attempt(() => {
        const found = query('img, svg', 400).filter(element => isShown(element) && !closest(element.parentElement || root, 'svg'))
            .map(element => [element, candidate(element, element.localName === 'img' ? element.currentSrc || element.src : '')])
            .filter(([, fact]) => mayBeLogo(fact)).slice(0, 30);
        let drawings = 0;
        for (const [element, fact] of found)
            if (element.localName === 'svg' && ++drawings <= 5) fact.url = drawn(element);
        for (const element of query('[class*=logo i], [id*=logo i]', 40)) {
            const image = /^url\("(.+)"\)$/.exec(getComputedStyle(element).backgroundImage);
            if (image && isShown(element)) found.push([element, candidate(element, address(image[1]))]);
        }
        return found.map(([, fact]) => fact).filter(fact => fact.url && fact.url.length < 50000);
    }, []);

    const icons = attempt(() => query('link[rel][href]', 300).filter(link => /icon/i.test(attribute(link, 'rel'))).slice(0, 30)
        .map(link => ({relation: attribute(link, 'rel').slice(0, 60), url: address(attribute(link, 'href')),
                       size: attribute(link, 'sizes') === 'any' ? 512 : number(attribute(link, 'sizes'))})), []);
    const meta = (...selectors) => {
        for (const selector of selectors) {
            const element = first(selector);
            if (element && attribute(element, 'content')) return attribute(element, 'content').slice(0, 2000);
        }
        return '';
    };
    const distances = attempt(() => {
        const found = [];
        for (const element of query('header, main, section, article, footer, form, div, p, ul, li, button, a, input', 400)) {
            if (found.length >= 300 || !isShown(element)) continue;
            const style = getComputedStyle(element);
            for (const length of [style.paddingTop, style.paddingLeft, style.marginTop, style.marginBottom, style.columnGap]) {
                const pixels = number(length);
                if (pixels >= 4 && pixels <= 128) found.push(pixels);  // less is no distance, but a hair
            }
        }
        return found.slice(0, 300);
    }, []);

    const head = chosen(['header', '[role=banner]', 'nav'], () => true);
    const main = chosen(['main p', 'article p', 'p'], element => element.textContent.trim().length >= 20);
    return {
        name: meta('meta[property="og:site_name"]', 'meta[name="application-name"]',
                   'meta[name="apple-mobile-web-app-title"]').slice(0, 100),
        background,
        header: head ? plain(getComputedStyle(head).backgroundColor) : '',
        theme: plain(meta('meta[name="theme-color"]').slice(0, 60)),
        picture: address(meta('meta[property="og:image"]', 'meta[name="twitter:image"]')),
        styles: {body: textStyle(main || body), h1: styleOf('h1'), h2: styleOf('h2'), h3: styleOf('h3'),
                 small: styleOf('small', 'figcaption'), code: styleOf('code', 'pre', 'kbd')},
        lettering, buttons, inputs, variables, logos, icons, distances,
    };
})js";

}  // namespace quarry::browser
