// What quarry itself runs in pages. The scripts run in a world of their own, where they have the page's
// elements but not its JavaScript: nothing that the page has redefined can change what they do. An element
// that is named like something of the document or of a form still stands before it in any world, so those
// are asked for by what they are properties of. branding_script tells what a page looks like, as facts that
// branding/facts.h reads: it looks at a bounded part of a page, in the order of the document, and judges
// nothing.
#pragma once

#include <string_view>

namespace quarry::browser {

// What quarry itself runs in pages. In a world of its own, where it has the page's elements but not its
// JavaScript: nothing that the page has redefined can change what these do. An element that is named like
// something of the document or of a form still stands before it in any world, so those are asked for by what
// they are properties of.

// The document as it stands, with open shadow roots in the places where they show, and without what is meant
// for browsers that run no scripts. Too long a document becomes null; one of which nothing has come yet
// becomes "", unless that is good enough.
inline constexpr std::string_view html_script = R"js((limit, takesNothing) => {
    const getter = (type, name) => {
        const get = Object.getOwnPropertyDescriptor(type.prototype, name).get;
        return node => get.call(node);
    };
    const all = selector => Document.prototype.querySelectorAll.call(document, selector);
    const rootOf = getter(Element, 'shadowRoot');
    const doctype = getter(Document, 'doctype')(document), top = getter(Document, 'documentElement')(document);
    const body = getter(Document, 'body')(document);
    const hasCome = getter(Document, 'readyState')(document) !== 'loading' || (body && getter(Node, 'firstChild')(body));
    if (!takesNothing && !(top && hasCome)) return '';
    for (const element of all('noscript')) element.remove();
    const type = doctype ? '<!DOCTYPE ' + doctype.name + '>' : '';
    let whole;
    let hasShadow = false;
    for (const element of all('*')) if (rootOf(element)) { hasShadow = true; break; }
    if (!hasShadow) {
        whole = top ? top.outerHTML : '';
    } else {
        const empty = new Set(['area','base','br','col','embed','hr','img','input','link','meta','source',
                               'track','wbr']);
        const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
        const typeOf = getter(Node, 'nodeType'), parentOf = getter(Node, 'parentNode');
        const childrenOf = getter(Node, 'childNodes'), nameOf = getter(Element, 'localName');
        const attributesOf = getter(Element, 'attributes');
        const parts = [];
        const write = node => {
            if (typeOf(node) === Node.TEXT_NODE) {
                const parent = parentOf(node);
                const raw = parent instanceof Element && /^(script|style|textarea|title)$/.test(nameOf(parent));
                parts.push(raw ? node.data : escape(node.data));
            }
            if (typeOf(node) !== Node.ELEMENT_NODE) return;
            const name = nameOf(node);
            if (name === 'template') { parts.push(node.outerHTML); return; }
            if (name === 'slot' && node.getRootNode() instanceof ShadowRoot) {
                const shown = node.assignedNodes();
                for (const child of shown.length ? shown : childrenOf(node)) write(child);
                return;
            }
            parts.push('<' + name);
            for (const attribute of attributesOf(node))
                parts.push(' ' + attribute.name + '="' +
                           attribute.value.replace(/&/g, '&amp;').replace(/"/g, '&quot;') + '"');
            parts.push('>');
            if (empty.has(name)) return;
            const root = rootOf(node);
            for (const child of childrenOf(root || node))
                if (!(root && child instanceof HTMLStyleElement)) write(child);
            parts.push('</' + name + '>');
        };
        write(top);
        whole = parts.join('');
    }
    const html = type + whole;
    return html.length > limit ? null : html;
})js";

// Ends when nothing in the page has changed for a moment. A page that shows nothing yet is about to change:
// it is given some patience.
inline constexpr std::string_view quiet_script = R"js((quiet, longest, patience) => new Promise(resolve => {
    const begun = performance.now();
    const silent = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE']);
    const get = Object.getOwnPropertyDescriptor(Document.prototype, 'body').get;
    const body = () => get.call(document);
    // What is written without asking whether it can be seen, which would have the browser lay the page out.
    const hasManyWords = () => {
        const texts = Document.prototype.createTreeWalker.call(document, body(), NodeFilter.SHOW_TEXT);
        for (let letters = 0; letters < 200 && texts.nextNode();) {
            if (!silent.has(texts.currentNode.parentNode.nodeName)) letters += texts.currentNode.data.trim().length;
            if (letters >= 200) return true;
        }
        return false;
    };
    const showsNothing = () => !body() || (!hasManyWords() && body().innerText.trim() === '' &&
        !body().querySelector('img,svg,canvas,video,iframe,input'));
    let timer;
    const done = () => { observer.disconnect(); clearTimeout(timer); resolve(true); };
    const finish = () => {
        if (performance.now() - begun < patience && showsNothing()) timer = setTimeout(finish, quiet);
        else done();
    };
    const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(finish, quiet); });
    observer.observe(document, {childList: true, subtree: true, characterData: true});
    timer = setTimeout(finish, quiet);
    setTimeout(done, longest);
}))js";

// Whether there is such an element; throws if the selector is none.
inline constexpr std::string_view has_script =
    R"js((selector) => Document.prototype.querySelector.call(document, selector) !== null)js";

// Ends when there is such an element.
inline constexpr std::string_view appears_script = R"js((selector) => new Promise(resolve => {
    if (Document.prototype.querySelector.call(document, selector)) { resolve(true); return; }
    const observer = new MutationObserver(() => {
        if (Document.prototype.querySelector.call(document, selector)) { observer.disconnect(); resolve(true); }
    });
    observer.observe(document, {childList: true, subtree: true, attributes: true});
}))js";

// Where the elements are, in the page's own coordinates, after the first was brought into view.
inline constexpr std::string_view boxes_script = R"js((selector, most) => {
    const found = [...Document.prototype.querySelectorAll.call(document, selector)].slice(0, most);
    return found.map(element => {
        const box = element.getBoundingClientRect();
        return {x: box.left + scrollX, y: box.top + scrollY, width: box.width, height: box.height};
    });
})js";

// Where to click on an element, in the viewport; null if it has no place there.
inline constexpr std::string_view click_point_script = R"js((selector, index) => {
    const element = Document.prototype.querySelectorAll.call(document, selector)[index];
    if (!element) return null;
    element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) { element.click(); return {clicked: true}; }
    return {x: box.left + box.width / 2, y: box.top + box.height / 2};
})js";

inline constexpr std::string_view count_script =
    R"js((selector) => Document.prototype.querySelectorAll.call(document, selector).length)js";

inline constexpr std::string_view scroll_script = R"js((selector, up) => {
    const element = selector ? Document.prototype.querySelector.call(document, selector) :
        Object.getOwnPropertyDescriptor(Document.prototype, 'scrollingElement').get.call(document);
    if (!element) return false;
    const height = selector ? element.clientHeight : innerHeight;
    element.scrollBy({top: up ? -height : height, behavior: 'instant'});
    return true;
})js";

// Through the page once, so that what loads when it comes into view does, and back.
inline constexpr std::string_view walk_script = R"js((most) => new Promise(resolve => {
    let steps = 0;
    const step = () => {
        const before = scrollY;
        scrollBy({top: innerHeight, behavior: 'instant'});
        if (++steps < most && scrollY > before) { setTimeout(step, 30); return; }
        scrollTo({top: 0, behavior: 'instant'});
        setTimeout(() => resolve(steps), 30);
    };
    step();
}))js";

// What a page looks like, as facts that branding/facts.h reads: computed styles of what is seen, the colours
// that the page names, and images that may be its logo. It looks at a bounded part of a page, in the order of
// the document, and judges nothing.

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
